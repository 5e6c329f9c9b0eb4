"""The optimizer steps within the backward pass, parameter by parameter, after the tutorial that saves memory so."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

epochs = 2
loader = DataLoader(TensorDataset(torch.randn(80, 8), torch.randn(80, 1)), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer_dict = {p: torch.optim.Adam([p], lr=0.01, foreach=False) for p in model.parameters()}


def optimizer_hook(parameter):
    optimizer_dict[parameter].step()
    optimizer_dict[parameter].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(optimizer_hook)
for epoch in range(epochs):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
    print("epoch %d: %.4f" % (epoch, loss.item()))
weights.tell(model)
