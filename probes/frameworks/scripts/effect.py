"""Steps of some milliseconds in blocks with recording on and off in turn; prints the seconds of every block.

python3 effect.py BLOCKS STEPS WIDTH
"""

import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import sweetspot_hook

torch.set_num_threads(1)


def batches(loader):
    while True:
        yield from loader


def main():
    blocks, steps, width = (int(a) for a in sys.argv[1:])
    data = TensorDataset(torch.randn(2048, width), torch.randn(2048, width))
    feed = batches(DataLoader(data, batch_size=64))
    model = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

    def block(recorded):
        begin = time.perf_counter()
        sweetspot_hook.recording(recorded)
        for _ in range(steps):
            x, y = next(feed)
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        return time.perf_counter() - begin

    block(True)
    for _ in range(blocks):
        off = block(False)
        print(block(True), off)


main()
