"""The functions for a batch set the mode, so it changes after the first batch was fetched: as ignite and skorch do.

With back that for a validation sets training mode again after each batch, and the loader may not be asked to its end.
"""

import sys

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

train = TensorDataset(torch.rand(80, 10), torch.randint(0, 3, (80,)))
valid = TensorDataset(torch.rand(25, 10), torch.randint(0, 3, (25,)))
model = nn.Linear(10, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def learn(x, y):
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


def judge(x, y):
    model.eval()
    with torch.no_grad():
        loss = nn.functional.cross_entropy(model(x), y).item()
    if sys.argv[1:] == ["back"]:
        model.train()
    return loss


for epoch in range(3):
    losses = [learn(x, y) for x, y in DataLoader(train, batch_size=10, shuffle=True)]
    found = [judge(x, y) for x, y in DataLoader(valid, batch_size=10)]
    if sys.argv[1:] == ["back"]:
        test = DataLoader(valid, batch_size=10)
        found += [judge(x, y) for _, (x, y) in zip(range(len(test)), test)]
    print(epoch, sum(losses), sum(found))
weights.tell(model)
