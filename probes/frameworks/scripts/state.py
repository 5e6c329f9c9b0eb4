"""One step with the optimizer that is named, on a network of 10 x 10 weights and a layer that is not trained."""

import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 10, bias=False), nn.Linear(10, 10, bias=False))
model[1].weight.requires_grad_(False)
trained = [model[0].weight]
optimizer = {
    "sgd": lambda: torch.optim.SGD(trained, lr=0.1),
    "momentum": lambda: torch.optim.SGD(trained, lr=0.1, momentum=0.9),
    "adam": lambda: torch.optim.Adam(trained),
}[sys.argv[1]]()
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(4, 10)).sum().backward()
    optimizer.step()
