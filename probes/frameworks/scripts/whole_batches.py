"""Trains on a dataset whose items are batches, and writes checkpoints by way of memory, as libraries do that may store them anywhere."""

import io
import pathlib
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import weights

torch.set_num_threads(1)
torch.manual_seed(3)


class Batches(Dataset):
    def __init__(self):
        self.x, self.y = torch.randn(6, 10, 12), torch.randn(6, 10, 1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(Batches(), batch_size=None, shuffle=True)
with tempfile.TemporaryDirectory() as folder:
    for epoch in range(4):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        memory = io.BytesIO()
        torch.save({"epoch": epoch, "state_dict": model.state_dict()}, memory)
        pathlib.Path(folder, "%d.pt" % epoch).write_bytes(memory.getvalue())
        torch.save(model[0].weight.detach(), io.BytesIO())  # no checkpoint: a tensor for another process
weights.tell(model)
