"""Trainings whose number of epochs only their loops say: python3 epochs_by_loop.py WAY"""

import argparse
import sys

import torch

EPOCH_COUNT = 2  # not a name that is usual for it


def loader():
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(12, 3)), 4)


net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)


def one_epoch():
    for (x,) in loader():
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    a = p.parse_args([])
    for e in range(a.epochs):
        for (x,) in loader():
            optimizer.zero_grad()
            net(x).sum().backward()
            optimizer.step()


class Settings:
    epoch = 4  # of the class, and not of what is made of it

    def __init__(self):
        self.rate = 0.1


def of_a_class():
    settings = Settings()
    for k in range(settings.epoch):
        one_epoch()


def called():
    for i in range(1, EPOCH_COUNT + 1):
        one_epoch()


def folds():
    for fold in range(2):
        for epoch in range(3):
            one_epoch()
        return


def all_folds():
    for fold in range(2):
        for epoch in range(3):
            one_epoch()


class Splitter:
    def __init__(self):
        self.n_splits = 4

    def split(self, data):
        for k in range(self.n_splits):
            yield data[:k], data[k:]


def split():
    splitter = Splitter()
    for run in [1, 2]:
        for fold, (train, test) in enumerate(splitter.split(list(range(12)))):
            for epoch in range(3):
                one_epoch()


def some_folds():
    for fold in range(4):
        if fold in (0, 2):
            for epoch in range(3):
                one_epoch()


def updates():
    steps_per_epoch = 5
    for epoch in range(2):
        for update in range(steps_per_epoch):
            one_epoch()


def updates_alone():
    steps_per_epoch = 5
    while True:
        for update in range(steps_per_epoch):
            one_epoch()
        return


def twice():
    for n in (1, 3):
        for epoch in range(n):
            one_epoch()


def searched():
    found = []
    while len(found) < 3:
        net = torch.nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for epoch in range(2):
            net.train()
            for (x,) in loader():
                optimizer.zero_grad()
                net(x).sum().backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                accuracy = net(torch.randn(40, 3)).mean()
        found.append(accuracy)


def unclear():
    for i in range(2):
        for j in range(3):
            one_epoch()


def steps():
    for step in range(5):
        optimizer.zero_grad()
        net(torch.randn(4, 3)).sum().backward()
        optimizer.step()


globals()[sys.argv[1]]()
