"""Averages of the weights: a copy that a module holds beside the model, and torch.optim.swa_utils, whose statistics are taken again at the end."""

import copy

import torch
import weights
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


class Learner(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.ema = copy.deepcopy(net).requires_grad_(False)

    def update(self, decay=0.9):
        for average, p in zip(self.ema.parameters(), self.net.parameters()):
            average.lerp_(p.detach(), 1 - decay)


epochs = 3
train = DataLoader(TensorDataset(torch.randn(40, 8), torch.randint(0, 3, (40,))), batch_size=5, shuffle=True)
test = DataLoader(TensorDataset(torch.randn(20, 8), torch.randint(0, 3, (20,))), batch_size=10)
learner = Learner(nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)))
swa = AveragedModel(learner.net)
optimizer = torch.optim.SGD(learner.net.parameters(), lr=0.1)
for epoch in range(epochs):
    learner.train()
    for x, y in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(learner.net(x), y).backward()
        optimizer.step()
        learner.update()
    swa.update_parameters(learner.net)
    learner.eval()
    with torch.no_grad():
        right = sum((learner.ema(x).argmax(1) == y).sum().item() for x, y in test)
    print("epoch %d: %d of 20 right" % (epoch, right))
update_bn(train, swa)
swa.eval()
with torch.no_grad():
    print("average: %d of 20 right" % sum((swa(x).argmax(1) == y).sum().item() for x, y in test))
weights.tell(learner, swa)
