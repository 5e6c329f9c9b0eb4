"""Counted in steps that the command line names: steps_option.py --steps 45. Waves are predicted as in PyTorch's own examples."""

import argparse
import hashlib

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=15, help="steps to run")
opt = parser.parse_args()
at = torch.arange(0, 40).repeat(12, 1) + torch.randint(-16, 16, (12, 1))
waves = torch.sin(at / 6.0)
net = nn.GRU(1, 12, batch_first=True)
head = nn.Linear(12, 1)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=0.02)
criterion = nn.MSELoss()
for i in range(opt.steps):
    optimizer.zero_grad()
    hidden, _ = net(waves[:, :-1].unsqueeze(-1))
    loss = criterion(head(hidden).squeeze(-1), waves[:, 1:])
    loss.backward()
    optimizer.step()
    if i % 15 == 0:
        print("STEP: ", i, "loss: %.5f" % loss.item())
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters())).hexdigest()[:16])
