"""Steps by a loop over batches without end, of which each pass's last one is smaller and passed over.

It takes a number of epochs that it does not use, as some GANs do.
"""

import argparse

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=50)
parser.add_argument("--iterations", type=int, default=8)
args = parser.parse_args()
torch.set_num_threads(1)
torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(52, 6)), batch_size=10)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def endless():
    while True:
        yield from loader


batches = endless()
for i in range(args.iterations):
    for k in range(4):
        (x,) = next(batches)
        if x.size()[0] != 10:
            continue
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("%d: %.6f" % (i, loss.item()))
weights.tell(model)
