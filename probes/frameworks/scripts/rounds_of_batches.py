"""An epoch is a number of steps, whatever the sets have: batches of two loaders are drawn that begin again by themselves, as for the adaptation to another domain.

With "unnamed" neither loop names what it counts, and no loader tells of epochs.
"""

import sys

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(4)


class Forever:
    def __init__(self, loader):
        self.loader, self.batches = loader, iter(loader)

    def __next__(self):
        try:
            return next(self.batches)
        except StopIteration:
            self.batches = iter(self.loader)
            return next(self.batches)


def loader(samples, shuffle):
    return DataLoader(TensorDataset(torch.randn(samples, 8), torch.randint(0, 3, (samples,))), batch_size=8, shuffle=shuffle)


source, target, held_out = Forever(loader(48, True)), Forever(loader(32, True)), loader(24, False)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
iters_per_epoch = 10


def unnamed(num_epochs):
    for _ in range(num_epochs):
        for _ in range(iters_per_epoch):
            loss = nn.functional.cross_entropy(model(torch.randn(8, 8)), torch.randint(0, 3, (8,)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def adapt():
    for epoch in range(4):
        model.train()
        for i in range(iters_per_epoch):
            x, y = next(source)
            unlabelled, _ = next(target)
            loss = nn.functional.cross_entropy(model(x), y) + model(unlabelled).softmax(1).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            right = sum((model(x).argmax(1) == y).sum().item() for x, y in held_out)
        print("acc %.4f" % (right / 24))


if sys.argv[1:] == ["unnamed"]:
    unnamed(4)
else:
    adapt()
weights.tell(model)
