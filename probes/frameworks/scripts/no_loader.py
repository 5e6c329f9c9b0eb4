"""Batches are made by hand; there is no DataLoader."""

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)

x, y = torch.randn(64, 10), torch.randn(64, 1)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)).double().float()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
config = {"epochs": 3}
for epoch in range(config["epochs"]):
    model.train()
    order = torch.randperm(64)
    for rows in order.split(16):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows].to(torch.bfloat16))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, nn.functional.mse_loss(model(x), y).item())
weights.tell(model)
