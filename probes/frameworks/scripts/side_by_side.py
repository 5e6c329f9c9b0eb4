"""Two loaders side by side in one loop: few labelled batches, repeated, beside many that have no label."""

import itertools

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

labelled = DataLoader(TensorDataset(torch.rand(32, 6), torch.randint(0, 2, (32,))), batch_size=8, shuffle=True)
others = DataLoader(TensorDataset(torch.rand(160, 6)), batch_size=16, shuffle=True)
test = DataLoader(TensorDataset(torch.rand(40, 6), torch.randint(0, 2, (40,))), batch_size=20)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for epoch in range(3):
    model.train()
    for (x, y), (u,) in zip(itertools.cycle(labelled), others):
        loss = nn.functional.cross_entropy(model(x), y) + 0.1 * model(u).softmax(1).var()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, sum((model(x).argmax(1) == y).sum().item() for x, y in test))
weights.tell(model)
