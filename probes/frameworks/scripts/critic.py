"""A critic learns from every batch, the generator from every fifth, as in a Wasserstein GAN."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

n_epochs, n_critic = 2, 5
loader = DataLoader(TensorDataset(torch.randn(120, 2)), batch_size=10, shuffle=True)
generator = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer_c = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
optimizer_g = torch.optim.RMSprop(generator.parameters(), lr=1e-3)
for epoch in range(n_epochs):
    for i, (real,) in enumerate(loader):
        optimizer_c.zero_grad()
        fake = generator(torch.randn(len(real), 3)).detach()
        (critic(fake).mean() - critic(real).mean()).backward()
        optimizer_c.step()
        for p in critic.parameters():
            p.data.clamp_(-0.1, 0.1)
        if (i + 1) % n_critic == 0:
            optimizer_g.zero_grad()
            loss = -critic(generator(torch.randn(len(real), 3))).mean()
            loss.backward()
            optimizer_g.step()
    print("epoch %d: %.5f" % (epoch, loss.item()))
weights.tell(critic, generator)
