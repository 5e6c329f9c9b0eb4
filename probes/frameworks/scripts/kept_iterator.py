"""A loader that keeps one iterator over a sampler without end for all of its passes, so that its workers are started
once, as detectors' do.

With "early" it has it from its making on, and what is evaluated is an average that is made before the training. With
"copy" the network is never switched to evaluation: a copy of it is evaluated. With "gathered" a step is made of
five batches, and the last ones are of none.
"""

import copy
import sys

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


early = sys.argv[1:] == ["early"]


class Again:
    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        while True:
            yield from self.batches


class Endless(DataLoader):
    kept = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        object.__setattr__(self, "batch_sampler", Again(self.batch_sampler))
        if early:
            self.kept = super().__iter__()

    def __iter__(self):
        self.kept = self.kept or self._get_iterator()
        for _ in range(len(self)):
            yield next(self.kept)


def data(n):
    return TensorDataset(torch.randn(n, 6), torch.randn(n, 1))


train, held_out = Endless(data(52), batch_size=8, shuffle=True), Endless(data(20), batch_size=10)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
average = copy.deepcopy(model).eval() if early else None
each, gathered = 5 if sys.argv[1:] == ["gathered"] else 1, 0
for epoch in range(4):
    model.train()
    for x, y in train:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        gathered += 1
        if gathered >= each:
            optimizer.step()
            optimizer.zero_grad()
            gathered = 0
    if early:
        average.load_state_dict(model.state_dict())
    judged = average or (copy.deepcopy(model).eval() if sys.argv[1:] == ["copy"] else model.eval())
    with torch.inference_mode():
        print(epoch, loss.item(), sum(nn.functional.mse_loss(judged(x), y).item() for x, y in held_out))
weights.tell(model)
