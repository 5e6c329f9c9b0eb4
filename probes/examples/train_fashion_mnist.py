"""Trains a small convolutional network on Fashion-MNIST.

    python3 train_fashion_mnist.py --epochs 3 --batch-size 128 --lr 0.05

The four files of the dataset are expected in --data; Debian's package
dataset-fashion-mnist has them.
"""

import argparse
import gzip
import os
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class FashionMNIST(Dataset):
    """Images of 28x28 grey pixels, as normalised tensors, and their class from 0 to 9."""

    def __init__(self, directory, part):
        images = self.read(os.path.join(directory, part + "-images-idx3-ubyte.gz"), header=16)
        labels = self.read(os.path.join(directory, part + "-labels-idx1-ubyte.gz"), header=8)
        self.images = (images.view(-1, 1, 28, 28).float() / 255 - 0.286) / 0.353
        self.labels = labels.long()

    @staticmethod
    def read(path, header):
        with gzip.open(path) as f:
            return torch.frombuffer(bytearray(f.read()[header:]), dtype=torch.uint8)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 7 * 7, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def train(model, loader, optimizer, device):
    """One epoch; returns the mean loss."""
    model.train()
    total = 0.0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


@torch.no_grad()
def accuracy(model, loader, device):
    """The share of images that are classified right."""
    model.eval()
    right = 0
    for images, labels in loader:
        right += (model(images.to(device)).argmax(1) == labels.to(device)).sum().item()
    return right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser(description="Trains a small convolutional network on Fashion-MNIST.")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist", help="directory of the dataset")
    parser.add_argument("--save", help="file to save the network to after every epoch")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader = DataLoader(FashionMNIST(args.data, "train"), batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(FashionMNIST(args.data, "t10k"), batch_size=500)
    model = network().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)

    for epoch in range(1, args.epochs + 1):
        begin = time.time()
        loss = train(model, train_loader, optimizer, device)
        right = accuracy(model, test_loader, device)
        print("epoch %d of %d: loss %.4f, accuracy %.2f %%, %.1f s" % (epoch, args.epochs, loss, 100 * right, time.time() - begin), flush=True)
        if args.save:
            torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()
