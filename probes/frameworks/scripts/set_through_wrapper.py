"""A wrapper that hands attributes on, as Fabric's: the network's mode is set before it is told. A part of the held-out set is looked at every four steps."""

import itertools

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(9)


class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __setattr__(self, name, value):
        if name == "training" and "inner" in self.__dict__.get("_modules", {}):
            self.inner.training = value
        super().__setattr__(name, value)

    def forward(self, x):
        return self.inner(x)


x = torch.randn(72, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=6, shuffle=True)
held_out = DataLoader(TensorDataset(x[:40] + 1, x[:40].sum(1, keepdim=True)), batch_size=10)
model = Wrapper(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


@torch.no_grad()
def evaluate(most):
    model.eval()
    losses = [nn.functional.mse_loss(model(x), y).item() for x, y in itertools.islice(held_out, most)]
    model.train()
    return sum(losses) / len(losses)


evaluate(1)
step = 0
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        step += 1
        if step % 4 == 0:
            print("step %d: held out %.4f" % (step, evaluate(2)))
weights.tell(model)
