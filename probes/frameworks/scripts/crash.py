"""Fails in its seventh step."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)

loader = DataLoader(TensorDataset(torch.randn(40, 4), torch.randn(40, 2)), batch_size=4)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("begins")
for i, (x, y) in enumerate(loader, 1):
    out = model(x)
    if i == 7:
        raise ValueError("the seventh batch is bad")
    nn.functional.mse_loss(out, y).backward()
    optimizer.step()
