"""A GAN whose epochs are called niter, as in PyTorch's examples: two optimizers, two files of a checkpoint an epoch."""

import argparse
import hashlib
import tempfile

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batchSize", type=int, default=16)
parser.add_argument("--nz", type=int, default=8)
parser.add_argument("--niter", type=int, default=4)
opt = parser.parse_args()
torch.set_num_threads(1)
torch.manual_seed(4)
outf = tempfile.mkdtemp()

dataloader = DataLoader(TensorDataset(torch.rand(100, 1, 8, 8) * 2 - 1, torch.zeros(100)), batch_size=opt.batchSize, shuffle=True)
netG = nn.Sequential(nn.ConvTranspose2d(opt.nz, 8, 4), nn.BatchNorm2d(8), nn.ReLU(True), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh())
netD = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 4), nn.Flatten(0))
criterion = nn.BCEWithLogitsLoss()
optimizerD = optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
for epoch in range(opt.niter):
    for i, data in enumerate(dataloader, 0):
        netD.zero_grad()
        real = data[0]
        label = torch.full((real.size(0),), 1.0)
        errD_real = criterion(netD(real), label)
        errD_real.backward()
        fake = netG(torch.randn(real.size(0), opt.nz, 1, 1))
        label.fill_(0.0)
        errD_fake = criterion(netD(fake.detach()), label)
        errD_fake.backward()
        optimizerD.step()
        netG.zero_grad()
        label.fill_(1.0)
        errG = criterion(netD(fake), label)
        errG.backward()
        optimizerG.step()
    print("[%d/%d] Loss_D: %.4f Loss_G: %.4f" % (epoch, opt.niter, (errD_real + errD_fake).item(), errG.item()))
    torch.save(netG.state_dict(), "%s/netG_epoch_%d.pth" % (outf, epoch))
    torch.save(netD.state_dict(), "%s/netD_epoch_%d.pth" % (outf, epoch))
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in netG.parameters())).hexdigest()[:16])
