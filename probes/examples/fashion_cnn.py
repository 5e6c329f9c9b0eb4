"""Two small convolutional networks for Fashion-MNIST (1x28x28, 10 classes).

A factory takes no argument and returns a torch.nn.Module:

    sweetspot probe --model fashion_cnn.py:fashion_cnn --input 1x28x28 --batch 128
"""

from torch import nn


def build(width):
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1),
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(2 * width * 7 * 7, 4 * width),
        nn.ReLU(),
        nn.Linear(4 * width, 10),
    )


def fashion_cnn():
    """About 106 thousand parameters."""
    return build(16)


def fashion_cnn_wide():
    """About 422 thousand parameters."""
    return build(32)
