"""A lesson that trains one network after the other: by hand, by hand again, with an optimizer, over a loader. A few test samples are drawn at the end."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(12)
x, y, size, epochs, rate = torch.randn(60, 6), torch.randn(60, 1), 10, 2, 0.05


def batches():
    return [(x[i : i + size], y[i : i + size]) for i in range(0, len(x), size)]


def by_hand(parameters, model):
    for epoch in range(epochs):
        for i in range(len(x) // size):
            a, b = batches()[i]
            (model(a) - b).square().mean().backward()
            with torch.no_grad():
                for p in parameters:
                    p -= rate * p.grad
                    p.grad = None


weight, bias = torch.zeros(6, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
for epoch in range(epochs):
    for a, b in batches():
        (a @ weight + bias - b).square().mean().backward()
        with torch.no_grad():
            for p in (weight, bias):
                p -= rate * p.grad
                p.grad.zero_()

linear, deep = nn.Linear(6, 1), nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
by_hand(list(linear.parameters()), linear)
by_hand(list(deep.parameters()), deep)

model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=rate)
for epoch in range(epochs):
    for i in range(len(x) // size):
        a, b = batches()[i]
        nn.functional.mse_loss(model(a), b).backward()
        optimizer.step()
        optimizer.zero_grad()

model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=rate)
loader, test = DataLoader(TensorDataset(x, y), batch_size=size), DataLoader(TensorDataset(x[:32], y[:32]), batch_size=4)
for epoch in range(epochs):
    model.train()
    for a, b in loader:
        nn.functional.mse_loss(model(a), b).backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        print(epoch, sum(float((model(a) - b).square().mean()) for a, b in test))
with torch.no_grad():
    for i, (a, _) in enumerate(test):
        print(model(a).flatten().tolist())
        if i == 1:
            break
weights.tell(model)
