"""Every step takes the whole set, so that an epoch is one: the loop over epochs holds no other."""

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(2)
x, y = torch.randn(40, 6), torch.randint(0, 3, (40,))
held_out = torch.arange(40) % 4 == 0
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def train():
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x)[~held_out], y[~held_out])
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test():
    model.eval()
    return (model(x).argmax(1) == y)[held_out].float().mean().item()


for epoch in range(1, 61):
    loss = train()
    if epoch % 15 == 0:
        print("epoch %03d, loss %.4f, accuracy %.3f" % (epoch, loss, test()))
weights.tell(model)
