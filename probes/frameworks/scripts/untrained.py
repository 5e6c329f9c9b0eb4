"""Something in evaluation mode before the first step, as the first argument says; then three epochs with a validation."""

import sys

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


def data(n):
    return TensorDataset(torch.randn(n, 6), torch.randn(n, 1))


class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield torch.randn(6), torch.randn(1)


def network():
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))


def evaluate(model, batches):
    model.eval()
    with torch.no_grad():
        for x, y in batches:
            nn.functional.mse_loss(model(x), y)


class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class Early:
    """What is done, by its name."""

    def loader(model, held_out):
        evaluate(model, held_out)

    def several(model, held_out):
        for _ in range(2):
            evaluate(model, held_out)
            model.train()

    def batches(model, held_out):
        evaluate(model, [(torch.randn(4, 6), torch.randn(4, 1)) for _ in range(3)])
        model.train()

    def late(model, held_out):  # training mode is asked for with the first batch there, as Hugging Face's Trainer does
        evaluate(model, [(torch.randn(4, 6), torch.randn(4, 1)) for _ in range(3)])

    def drawn(model, held_out):
        batches = iter(DataLoader(Endless(), batch_size=10))
        evaluate(model, (next(batches) for _ in range(2)))
        model.train()

    def few(model, held_out):
        batches = iter(DataLoader(data(30), batch_size=10))
        evaluate(model, (next(batches) for _ in range(2)))
        model.train()

    def wrapped(model, held_out):
        evaluate(Wrapper(model), held_out)

    def gradients(model, held_out):  # are not turned off
        model.eval()
        for x, y in held_out:
            nn.functional.mse_loss(model(x), y)
        model.train()

    def summed_up(model, held_out):  # as by what counts a network's layers and its work
        model.eval()
        for _ in range(2):
            model(torch.randn(1, 6))
        model.train()

    def shown(model, held_out):
        evaluate(model, [(torch.randn(4, 6), torch.randn(4, 1))])
        model.train()

    def checked(model, held_out):
        batches = iter(held_out)
        evaluate(model, [next(batches)])
        model.train()

    def teacher(model, held_out):
        evaluate(network(), held_out)

    def statistics(model, held_out):
        model.eval()
        sum(x.mean() for x, _ in held_out)


def main():
    model, loader, held_out = network(), DataLoader(data(60), batch_size=10), DataLoader(data(20), batch_size=10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    vars(Early)[sys.argv[1]](model, held_out)
    for epoch in range(3):
        model.train(sys.argv[1] != "late")
        for x, y in loader:
            model.train()
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        evaluate(model, held_out)
    weights.tell(model)


if __name__ == "__main__":
    main()
