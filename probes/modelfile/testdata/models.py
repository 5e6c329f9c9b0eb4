"""Writes models in every format that PyTorch has here, and what PyTorch says of them."""
import json
import os
import sys

import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.classify = nn.Linear(32 * 7 * 7, 10)

    def forward(self, x):
        x = self.features(x)
        return self.classify(x.view(x.size(0), -1))


def vgg():
    layers, width = [], 3
    for size in (16, 16, "pool", 32, 32, "pool", 64, "pool"):
        if size == "pool":
            layers.append(nn.MaxPool2d(3, stride=2, ceil_mode=True))
            continue
        layers += [nn.Conv2d(width, size, 3, padding=1), nn.BatchNorm2d(size), nn.ReLU(inplace=True)]
        width = size
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Dropout(), nn.Linear(128, 100))


class Block(nn.Module):
    def __init__(self, inside, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 2, dilation=2, groups=4, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.down = nn.Conv2d(inside, out, 1, stride, bias=False)

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.down(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 7, 2, 3, bias=False)
        self.blocks = nn.Sequential(Block(16, 32, 2), Block(32, 64, 2), Block(64, 64, 1))
        self.up = nn.ConvTranspose2d(64, 8, 3, stride=2, padding=1, output_padding=1)
        self.head = nn.Linear(8, 10)
        self.gain = nn.Parameter(torch.randn(10), requires_grad=False)
        self.register_buffer("mean", torch.zeros(3, 1, 1))

    def forward(self, x):
        x = self.up(self.blocks(self.stem(x - self.mean)))
        return self.head(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1)) * self.gain


class Attention(nn.Module):
    """One layer of self-attention over 12 steps of 32, in 4 heads, and a recurrent layer behind it."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 32)
        self.norm = nn.LayerNorm(32)
        self.lstm = nn.LSTM(32, 20, batch_first=True, bidirectional=True)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
        a = torch.softmax(q @ k.transpose(-2, -1) / 8 ** 0.5, -1)
        x = self.norm(x + self.out((a @ v).transpose(1, 2).reshape(b, n, c)))
        return self.lstm(x)[0][:, -1]

    def flops(self):
        steps = 12
        products = 2 * 2 * steps * steps * 32
        recurrent = steps * sum(2 * p.numel() for n, p in self.lstm.named_parameters() if "weight" in n)
        return products + recurrent


def flops(model, sample):
    """Two for every multiplication and addition of one sample, from the shapes that pass by."""
    total = [model.flops() if hasattr(model, "flops") else 0]

    def count(layer, inputs, output):
        values = inputs[0] if isinstance(layer, nn.ConvTranspose2d) else output
        total[0] += 2 * layer.weight[0].numel() * values.numel()

    hooks = [m.register_forward_hook(count) for m in model.modules() if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear))]
    with torch.no_grad():
        model(sample)
    for hook in hooks:
        hook.remove()
    return total[0]


def main(folder):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    told = {}
    for name, model, shape in (
            ("small", Small(), (1, 28, 28)), ("vgg", vgg(), (3, 33, 33)), ("resnet", ResNet(), (3, 64, 64)), ("attention", Attention(), (12, 32))):
        for p in model.parameters():  # equal weights would be written once
            nn.init.normal_(p, std=0.05)
        model.eval()
        one = torch.zeros((1,) + shape)
        told[name] = {"params": sum(p.numel() for p in model.parameters()), "flops": flops(model, one), "input": list(shape)}
        path = os.path.join(folder, name)
        keep = torch.onnx.TrainingMode.PRESERVE
        torch.onnx.export(model, one, path + ".onnx", training=keep, do_constant_folding=False, input_names=["x"], dynamic_axes={"x": {0: "n"}})
        torch.onnx.export(model, torch.zeros((4,) + shape), path + ".fixed.onnx", training=keep, do_constant_folding=False)
        torch.onnx.export(model, one, path + ".folded.onnx", input_names=["x"])
        torch.onnx.export(model.half().float(), one, path + ".bare.onnx", export_params=False)
        torch.jit.trace(model, one).save(path + ".traced.pt")
        if name != "attention":
            torch.jit.script(model).save(path + ".scripted.pt")
        torch.save(model.state_dict(), path + ".state.pth")
        optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad])
        model(torch.randn((2,) + shape)).sum().backward()
        optimizer.step()
        torch.save({"epoch": 3, "optimizer": optimizer.state_dict(), "state_dict": {"module." + k: v for k, v in model.state_dict().items()}}, path + ".checkpoint.pth")
        torch.save(model, path + ".module.pth")
        torch.save(model.state_dict(), path + ".old.pth", _use_new_zipfile_serialization=False)
    frozen = torch.jit.freeze(torch.jit.script(Small().eval()))
    frozen.save(os.path.join(folder, "frozen.pt"))
    half = Small().half()
    torch.save(half.state_dict(), os.path.join(folder, "half.pth"))
    tied = nn.Sequential(nn.Linear(10, 10), nn.Linear(10, 10))
    tied[1].weight = tied[0].weight
    torch.save(tied.state_dict(), os.path.join(folder, "tied.pth"))
    torch.save({"epoch": 3, "lr": 0.1}, os.path.join(folder, "nothing.pth"))
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
