"""An adversarial pair, after the DCGAN tutorial: the discriminator learns from real and false images in two passes."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

num_epochs = 3
loader = DataLoader(TensorDataset(torch.randn(60, 1, 8, 8)), batch_size=6, shuffle=True)
netG = nn.Sequential(nn.Linear(5, 64), nn.Tanh(), nn.Unflatten(1, (1, 8, 8)))
netD = nn.Sequential(nn.Conv2d(1, 4, 3, stride=2), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(36, 1))
criterion = nn.BCEWithLogitsLoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
for epoch in range(num_epochs):
    for (real,) in loader:
        netD.zero_grad()
        criterion(netD(real), torch.ones(len(real), 1)).backward()
        fake = netG(torch.randn(len(real), 5))
        errD = criterion(netD(fake.detach()), torch.zeros(len(real), 1))
        errD.backward()
        optimizerD.step()
        netG.zero_grad()
        errG = criterion(netD(fake), torch.ones(len(real), 1))
        errG.backward()
        optimizerG.step()
    print("epoch %d: D %.4f, G %.4f" % (epoch, errD.item(), errG.item()))
weights.tell(netD, netG)
