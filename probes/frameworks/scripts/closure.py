"""LBFGS asks its closure for the loss several times in a step."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

n_epochs = 4
calls = 0
loader = DataLoader(TensorDataset(torch.randn(40, 5), torch.randn(40, 1)), batch_size=20)
model = nn.Linear(5, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
for epoch in range(n_epochs):
    for x, y in loader:

        def closure():
            global calls
            calls += 1
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)
print("closure called", "often" if calls > 8 else "once a step")
weights.tell(model)
