"""Structured as fastai: a learner, its own optimizer and its own loader."""

import torch
from torch import nn
from torch.utils.data import TensorDataset

from fastai.load import DataLoader
from fastai.optimizer import Optimizer

torch.set_num_threads(1)


class Learner:
    def __init__(self, model, train, valid):
        self.model, self.train, self.valid = model, train, valid
        self.opt = Optimizer(model.parameters(), lr=0.01)

    def fit(self, n_epoch):
        self.n_epoch = n_epoch
        for epoch in range(self.n_epoch):
            self.one_epoch()

    def one_epoch(self):
        self.model.train()
        for x, y in self.train:
            nn.functional.mse_loss(self.model(x), y).backward()
            self.opt.step()
            self.opt.zero_grad()
        self.model.eval()
        with torch.no_grad():
            for x, y in self.valid:
                self.model(x)


def data(n):
    return DataLoader(TensorDataset(torch.randn(n, 6), torch.randn(n, 1)), bs=8)


Learner(nn.Linear(6, 1), data(50), data(24)).fit(3)
print("fitted")
