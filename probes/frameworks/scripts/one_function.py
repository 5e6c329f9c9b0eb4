"""One function goes over either set, with gradients and in training mode: it makes steps of the first alone."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


def loader(n):
    return DataLoader(TensorDataset(torch.randn(n, 6), torch.randint(0, 3, (n,))), batch_size=10)


model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
train, test = loader(60), loader(20)


def go_over(batches, steps):
    total = 0.0
    for x, y in batches:
        loss = nn.functional.cross_entropy(model(x), y)
        if steps:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total / len(batches)


for epoch in range(4):
    print("epoch %d: %.4f, test %.4f" % (epoch, go_over(train, True), go_over(test, False)))
weights.tell(model)
