"""A network in bfloat16 through and through, with two small batches to a step and an evaluation after every epoch."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

EPOCHS, ACCUMULATION = 3, 2
train = DataLoader(TensorDataset(torch.randn(48, 8), torch.randint(0, 4, (48,))), batch_size=6, shuffle=True)
test = DataLoader(TensorDataset(torch.randn(20, 8), torch.randint(0, 4, (20,))), batch_size=10)
model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 4)).to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for epoch in range(EPOCHS):
    model.train()
    for i, (x, y) in enumerate(train):
        loss = nn.functional.cross_entropy(model(x.bfloat16()), y) / ACCUMULATION
        loss.backward()
        if (i + 1) % ACCUMULATION == 0:
            optimizer.step()
            optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        right = sum((model(x.bfloat16()).argmax(1) == y).sum().item() for x, y in test)
    print("epoch %d: %d of 20 right" % (epoch, right))
weights.tell(model)
