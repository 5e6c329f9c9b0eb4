"""Trains with an optimizer, and then, when that is gone, another network by hand, over the same loader."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(4)
loader = DataLoader(TensorDataset(torch.randn(60, 5), torch.randn(60, 1)), batch_size=12, shuffle=True)
epochs = 3


def network():
    return nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 1))


def with_optimizer(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()


def by_hand(model):
    for epoch in range(epochs):
        for x, y in loader:
            model.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= 0.05 * p.grad


with_optimizer(network())
model = network()
by_hand(model)
x = torch.zeros(1, 5, requires_grad=True)
for _ in range(4):  # what the network is sensitive to is no training
    model(x).sum().backward()
weights.tell(model)
