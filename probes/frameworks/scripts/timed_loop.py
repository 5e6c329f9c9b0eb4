"""A convolutional network on images, which times its steps itself: a validation after every epoch, and a checkpoint."""

import argparse
import os
import tempfile

import steptime
import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--compile", action="store_true")
parser.add_argument("--amp", action="store_true")
parser.add_argument("--width", type=int, default=20)


def images(n):
    labels = torch.randint(0, 10, (n,))
    return TensorDataset(torch.randn(n, 3, 32, 32) + labels.view(-1, 1, 1, 1) / 10, labels)


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    train = DataLoader(images(1000), batch_size=25, shuffle=True)
    test = DataLoader(images(300), batch_size=100)
    w = args.width
    model = nn.Sequential(
        nn.Conv2d(3, w, 3, padding=1), nn.BatchNorm2d(w), nn.ReLU(), nn.Conv2d(w, 2 * w, 3, padding=1), nn.BatchNorm2d(2 * w), nn.ReLU(),
        nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(32 * w, 10),
    )
    network = torch.compile(model, backend="aot_eager") if args.compile else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    steps = steptime.Steps()
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(args.epochs):
            model.train()
            for x, y in train:
                optimizer.zero_grad()
                with torch.autocast("cpu", torch.bfloat16, enabled=args.amp):
                    loss = nn.functional.cross_entropy(network(x), y)
                loss.backward()
                optimizer.step()
                steps.ended()
            with steps.between():
                model.eval()
                with torch.no_grad():
                    right = sum((model(x).argmax(1) == y).sum().item() for x, y in test)
                torch.save(model.state_dict(), os.path.join(folder, "last.pt"))
            print("epoch %d: %d right" % (epoch + 1, right))
    steps.tell()
    weights.tell(model)


if __name__ == "__main__":
    main()
