"""One or two steps of the network named first, and then the sum of its parameters."""

import sys

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(0)


class Residual(nn.Module):
    """A block of ResNet-18 (He et al. 2015)."""

    def __init__(self, width, out, stride):
        super().__init__()
        self.a, self.b = nn.Conv2d(width, out, 3, stride, 1, bias=False), nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(out), nn.BatchNorm2d(out)])
        self.short = nn.Conv2d(width, out, 1, stride, bias=False) if stride > 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.norms[1](self.b(F.relu(self.norms[0](self.a(x))))) + self.short(x))


def resnet18():
    blocks, width = [], 64
    for out, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        blocks.append(Residual(width, out, stride))
        width = out
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)), torch.randn(2, 3, 224, 224)


class Attention(nn.Module):
    """Of 4 heads over 5 tokens of 8 values, by hand."""

    def __init__(self, how):
        super().__init__()
        self.qkv, self.how = nn.Linear(8, 24), how

    def forward(self, x):
        q, k, v = (p.view(-1, 5, 4, 2).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
        if self.how == "einsum":
            return torch.einsum("bhqk,bhkd->bhqd", torch.einsum("bhqd,bhkd->bhqk", q, k).softmax(-1), v)
        return (q @ k.transpose(-2, -1)).softmax(-1) @ v


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.LSTM(4, 6, batch_first=True)

    def forward(self, x):
        return self.cells(x)[0]


class Fails(nn.Module):
    """Fails the first time."""

    def __init__(self):
        super().__init__()
        self.layer, self.tried = nn.Linear(4, 4), False

    def forward(self, x):
        if not self.tried:
            self.tried = True
            raise ValueError
        return self.layer(x)


def retried():
    net = Fails()
    try:
        net(torch.randn(2, 4))
    except ValueError:
        pass
    return net


networks = {
    "resnet18": resnet18,
    "convolutions": lambda: (nn.Sequential(nn.Conv2d(4, 8, 3, groups=2), nn.ConvTranspose2d(8, 2, 2, 2)), torch.randn(2, 4, 6, 6)),
    "product": lambda: (Attention("product"), torch.randn(2, 5, 8)),
    "einsum": lambda: (Attention("einsum"), torch.randn(2, 5, 8)),
    "transformer": lambda: (nn.TransformerEncoderLayer(8, 2, 16, dropout=0, batch_first=True), torch.randn(2, 5, 8)),
    "lstm": lambda: (Recurrent(), torch.randn(2, 7, 4)),
    "scripted": lambda: (torch.jit.script(nn.Linear(4, 4)), torch.randn(2, 4)),
    "retried": lambda: (retried(), torch.randn(2, 4)),
    "shown": lambda: (nn.Linear(4, 4), torch.randn(2, 4)),
    "traced": lambda: (nn.Linear(4, 4), torch.randn(2, 4)),
}

net, x = networks[sys.argv[1]]()
steps = int(sys.argv[2])
parts = int(sys.argv[3])  # forward passes of a step
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(x.repeat(steps * parts, *[1] * (x.dim() - 1)), batch_size=len(x))
if sys.argv[1] == "shown":  # as for a summary of its layers
    net(next(iter(loader)))
if sys.argv[1] == "traced":
    torch.jit.trace(net, next(iter(loader)))
for n, batch in enumerate(loader):
    net(batch).square().mean().backward()
    if n % parts == parts - 1:
        optimizer.step()
        optimizer.zero_grad()
print(sum(p.double().sum().item() for p in net.parameters()).hex())
