"""Gradients of four small batches make a step, or those of one the first."""

import argparse

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--accumulate", type=int, default=4)
parser.add_argument("--at-first", action="store_true", help="step after the first batch, and then after every so many")
args = parser.parse_args()

loader = DataLoader(TensorDataset(torch.randn(96, 6), torch.randn(96, 1)), batch_size=8, shuffle=True)
model = nn.Linear(6, 1)
optimizer = torch.optim.Adam(model.parameters())
scaler = torch.cuda.amp.GradScaler(enabled=False)
for epoch in range(args.epochs):
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(model(x), y) / args.accumulate
        scaler.scale(loss).backward()
        if (i + (not args.at_first)) % args.accumulate == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
weights.tell(model)
