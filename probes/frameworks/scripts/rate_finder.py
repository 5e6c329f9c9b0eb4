"""Some steps find a learning rate, then the training begins; it saves in evaluation mode, in which it computes nothing."""

import os
import tempfile

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

loader = DataLoader(TensorDataset(torch.rand(80, 20), torch.randint(0, 3, (80,))), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 3))


def learn(optimizer, x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


def find(optimizer, rounds):
    batches = iter(loader)
    for i in range(rounds):
        x, y = next(batches, (None, None))
        if x is None:
            batches = iter(loader)
            x, y = next(batches)
        loss = learn(optimizer, x, y)
        optimizer.param_groups[0]["lr"] *= 1.5
    return loss


finder = torch.optim.Adam(model.parameters(), lr=1e-5)
print(find(finder, 20))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    losses = [learn(optimizer, x, y) for x, y in loader]
    print(epoch, sum(losses))
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
    model.train()
weights.tell(model)
