"""A training whose data, batch size and network are arguments."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--samples", type=int, default=6000)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--width", type=int, default=4)
parser.add_argument("-a", "--arch", default="plain")
args = parser.parse_args()
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, width, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


def load(n):
    return TensorDataset(torch.randn(n, 1, 12, 12), torch.randint(0, 10, (n,)))


train, test = DataLoader(load(args.samples), args.batch, shuffle=True), DataLoader(load(500), 250)
net = Net(args.width)
optimizer, criterion = torch.optim.SGD(net.parameters(), args.lr), nn.CrossEntropyLoss()
for epoch in range(args.epochs):
    net.train()
    for x, y in train:
        optimizer.zero_grad()
        criterion(net(x), y).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        right = sum((net(x).argmax(1) == y).sum().item() for x, y in test)
    print("epoch %d: %d of 500 right" % (epoch, right))
