"""Every layer has an optimizer of its own, with its own learning rate."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

epochs = 3
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(0, 4, (64,))), batch_size=8, shuffle=True)
model = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(5)], nn.Linear(8, 4))
optimizers = [torch.optim.SGD(layer.parameters(), lr=0.1 / (i + 1)) for i, layer in enumerate(model)]
for epoch in range(epochs):
    for x, y in loader:
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
    print("epoch %d: %.4f" % (epoch, loss.item()))
weights.tell(model)
