"""Trains and saves its model after every so many epochs, onto a disk that takes its time; prints its seconds.

Each step takes 40 ms, most of them slept, so that what else the machine does counts for little.

python3 savers.py CHECKPOINT EPOCHS EVERY SECONDS
"""

import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
path, epochs, every, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])


class Slow:
    """A file whose disk must first spin up."""

    def __init__(self, file):
        self.file, self.spins = file, False

    def write(self, part):
        if not self.spins:
            self.spins = True
            time.sleep(seconds)
        return self.file.write(part)

    def flush(self):
        self.file.flush()


loader = DataLoader(TensorDataset(torch.randn(160, 100), torch.randn(160, 1)), batch_size=16)
model = nn.Sequential(nn.Linear(100, 200), nn.ReLU(), nn.Linear(200, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
begin = time.perf_counter()
for epoch in range(epochs):
    for x, y in loader:
        due = time.perf_counter() + 0.04
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        time.sleep(max(0.0, due - time.perf_counter()))
        optimizer.step()
    if (epoch + 1) % every == 0:
        with open(path, "wb") as file:
            torch.save(model.state_dict(), Slow(file))
print(time.perf_counter() - begin)
