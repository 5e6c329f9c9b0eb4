"""Three small convolutional networks for Fashion-MNIST (1x28x28, 10 classes).

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


class LeNet(nn.Module):
    """The layout of LeNet-5 (LeCun et al. 1998) with more filters and ReLU, its layers named."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 20, 5, padding=2)
        self.conv2 = nn.Conv2d(20, 40, 5)
        self.fc1 = nn.Linear(40 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)
        self.pool = nn.MaxPool2d(2)
        self.relu = nn.ReLU()

    def forward(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x))).flatten(1)
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


def fashion_lenet():
    """About 152 thousand parameters."""
    return LeNet()


def fashion_cnn():
    """About 106 thousand parameters."""
    return build(16)


def fashion_cnn_wide():
    """About 422 thousand parameters."""
    return build(32)
