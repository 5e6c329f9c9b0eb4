"""Adversarial training: each batch is attacked in evaluation mode, with gradients, before the network learns from it."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

train = DataLoader(TensorDataset(torch.rand(80, 6), torch.randint(0, 2, (80,))), batch_size=8, shuffle=True)
test = DataLoader(TensorDataset(torch.rand(40, 6), torch.randint(0, 2, (40,))), batch_size=20)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
cross_entropy = nn.functional.cross_entropy


def by_backward(x, y, delta):
    cross_entropy(model(x + delta), y).backward()
    return delta.grad


def by_grad(x, y, delta):
    return torch.autograd.grad(cross_entropy(model(x + delta), y), delta)[0]


def attack(x, y, gradient):
    model.eval()
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(5):
        step = 0.01 * gradient(x, y, delta).sign()
        delta = (delta + step).clamp(-0.1, 0.1).detach().requires_grad_()
    model.train()
    return (x + delta).detach()


for epoch in range(2):
    gradient = (by_backward, by_grad)[epoch]
    model.train()
    for x, y in train:
        x = attack(x, y, gradient)
        optimizer.zero_grad()
        cross_entropy(model(x), y).backward()
        optimizer.step()
    model.eval()
    right = 0
    for x, y in test:
        x = attack(x, y, gradient)
        model.eval()
        with torch.no_grad():
            right += (model(x).argmax(1) == y).sum().item()
    print(epoch, right)
weights.tell(model)
