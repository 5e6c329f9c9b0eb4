"""Trains for hours and saves its model after every step."""

import atexit
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)

path = sys.argv[1]
atexit.register(print, "left in order")
loader = DataLoader(TensorDataset(torch.randn(4000, 300), torch.randn(4000, 1)), batch_size=4)
model = nn.Sequential(nn.Linear(300, 900), nn.ReLU(), nn.Linear(900, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for epoch in range(10000):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        torch.save(model.state_dict(), path)
