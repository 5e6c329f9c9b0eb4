"""Two halves of a network learn in turns, an epoch each."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

epochs = 6
loader = DataLoader(TensorDataset(torch.randn(40, 6), torch.randn(40, 2)), batch_size=5, shuffle=True)
encoder, decoder = nn.Linear(6, 12), nn.Linear(12, 2)
optimizers = [torch.optim.Adam(half.parameters(), lr=0.01) for half in (encoder, decoder)]
for epoch in range(epochs):
    optimizer = optimizers[epoch % 2]
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(decoder(torch.relu(encoder(x))), y)
        loss.backward()
        optimizer.step()
    print("epoch %d: %.4f" % (epoch, loss.item()))
weights.tell(encoder, decoder)
