"""A trainer that validates within its first round, before the first step, and ends after a number of iterations.

After pytorch-fcn's.
"""

import math

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


class Trainer:
    def __init__(self, model, loader, held_out, most):
        self.model, self.loader, self.held_out = model, loader, held_out
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        self.epoch = self.iteration = 0
        self.most = most

    def validate(self):
        self.model.eval()
        total = 0.0
        for x, y in self.held_out:
            with torch.no_grad():
                total += nn.functional.mse_loss(self.model(x), y).item()
        self.model.train()
        return total

    def train_epoch(self):
        self.model.train()
        for i, (x, y) in enumerate(self.loader):
            self.iteration = i + self.epoch * len(self.loader)
            if self.iteration % 10 == 0:
                self.validate()
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x), y).backward()
            self.optimizer.step()
            if self.iteration >= self.most:
                break

    def train(self):
        for epoch in range(self.epoch, math.ceil(self.most / len(self.loader))):
            self.epoch = epoch
            self.train_epoch()
            if self.iteration >= self.most:
                break


def data(n):
    return TensorDataset(torch.randn(n, 6), torch.randn(n, 1))


model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
Trainer(model, DataLoader(data(60), batch_size=4, shuffle=True), DataLoader(data(12), batch_size=4), 40).train()
weights.tell(model)
