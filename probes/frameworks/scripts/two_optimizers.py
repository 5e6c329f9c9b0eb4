"""A small adversarial pair: the discriminator steps, then the generator."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader

torch.set_num_threads(1)
torch.manual_seed(0)
NUM_EPOCHS = 2

loader = DataLoader([torch.randn(2) for _ in range(50)], batch_size=10, shuffle=True)
generator = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
discriminator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=0.001)
d_optimizer = torch.optim.RMSprop(discriminator.parameters(), lr=0.001)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(NUM_EPOCHS):
    for real in loader:
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        fake = generator(torch.randn(len(real), 3))
        d_optimizer.zero_grad()
        (criterion(discriminator(real), ones) + criterion(discriminator(fake.detach()), zeros)).backward()
        d_optimizer.step()
        g_optimizer.zero_grad()
        criterion(discriminator(fake), ones).backward()
        g_optimizer.step()
weights.tell(discriminator, generator)
