"""Images grow after the first epochs, as in progressive resizing."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)

model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
for epoch in range(4):
    side = 8 if epoch < 2 else 12
    for x, y in DataLoader(TensorDataset(torch.randn(160, 1, side, side), torch.zeros(160, dtype=torch.long)), batch_size=8):
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
