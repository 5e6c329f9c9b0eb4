"""Fine-tuning recipes: beside each validation the network computes an example to look at, in evaluation mode.

So it does in the middle of each later epoch, far from a validation. What it makes of all held-out
samples is drawn after each epoch. After the last step it is tested on tensors, which no loader gives, and predicts.
"""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
x = torch.randn(80, 6)
train, valid = TensorDataset(x[:60], x[:60, :1]), TensorDataset(x[60:], x[60:, :1])
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


@torch.no_grad()
def validate(loader):
    model.eval()
    total = sum(nn.functional.mse_loss(model(a), b).item() for a, b in loader)
    model.train()
    return total


@torch.no_grad()
def show(example):
    model.eval()
    out = model(example)
    model.train()
    return out.item()


def imwrite(rows):
    print("%d rows" % len(rows))


def save_predictions(loader):
    model.eval()
    for a, _ in loader:
        with torch.no_grad():
            imwrite(model(a))
    model.train()


@torch.no_grad()
def predict(loader):
    model.eval()
    return torch.cat([model(a) for a, _ in loader])


for epoch in range(4):
    print("%.6f" % show(x[:1]))
    for i, (a, b) in enumerate(DataLoader(train, batch_size=10)):
        loss = nn.functional.mse_loss(model(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch and i == 3:
            print("%.6f" % show(x[:1]))
    print("epoch %d: %.6f" % (epoch, validate(DataLoader(valid, batch_size=10))))
    save_predictions(DataLoader(valid, batch_size=10))
print("test %.6f" % show(x[1:2]))
print("%.6f" % predict(DataLoader(valid, batch_size=10)).sum())
weights.tell(model)
