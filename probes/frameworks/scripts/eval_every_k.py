"""A validation after every fifth step, in the middle of an epoch, without a look at epochs."""

import copy
import itertools
import pickle

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def forever(loader):
    while True:
        yield from loader


class opt:
    num_epochs = 3
    eval_every = 5


train = DataLoader(TensorDataset(torch.randn(40, 6), torch.randn(40, 1)), batch_size=5, shuffle=True)
val = DataLoader(TensorDataset(torch.randn(30, 6), torch.randn(30, 1)), batch_size=15)
model = nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Linear(6, 1))
optimizer = torch.optim.NAdam(model.parameters())
best = float("inf")
for step, (x, y) in enumerate(itertools.islice(forever(train), 8 * opt.num_epochs), 1):
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % opt.eval_every == 0:
        model.eval()
        with torch.no_grad():
            loss = sum(nn.functional.mse_loss(model(x), y).item() for x, y in val)
        model.train()
        if loss < best:
            best, kept = loss, (copy.deepcopy(model), pickle.dumps(optimizer))
again = pickle.loads(kept[1])
again.step()
print("kept", type(kept[0]).__name__, type(again).__name__)
