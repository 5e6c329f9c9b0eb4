"""Each layer learns by itself, one after the other, from one batch, as forward-forward does; the set may have more.

python3 layer_by_layer.py SAMPLES
"""

import sys

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

samples, epochs = int(sys.argv[1]), 10
x, _ = next(iter(DataLoader(TensorDataset(torch.rand(samples, 20), torch.zeros(samples)), batch_size=50, shuffle=True)))
layers = nn.ModuleList([nn.Linear(20, 16), nn.Linear(16, 16)])
optimizers = [torch.optim.Adam(layer.parameters(), lr=0.03) for layer in layers]
for layer, optimizer in zip(layers, optimizers):
    for i in range(epochs):
        loss = torch.log(1 + torch.exp(2 - layer(x).relu().pow(2).mean(1))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
    x = layer(x).relu().detach()
weights.tell(layers)
