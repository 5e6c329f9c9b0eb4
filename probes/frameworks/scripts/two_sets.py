"""After every epoch the accuracy on the training set and on a set held out, each over a loader of its own, as with an evaluator."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


def data(n):
    x = torch.randn(n, 6)
    return TensorDataset(x, (x[:, 0] > 0).long())


@torch.no_grad()
def accuracy(loader):
    model.eval()
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return right / len(loader.dataset)


train_set = data(60)
train, again, held_out = DataLoader(train_set, batch_size=12, shuffle=True), DataLoader(train_set, batch_size=30), DataLoader(data(20), batch_size=20)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(1, 4):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    print("training accuracy: %.4f" % accuracy(again))
    print("validation accuracy: %.4f" % accuracy(held_out))
weights.tell(model)
