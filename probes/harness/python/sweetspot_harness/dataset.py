"""Fashion-MNIST from its published files, or synthetic input of any shape."""

import gzip
import os

from .loading import Problem

DIRECTORY = "/usr/share/datasets/fashion-mnist"
SHAPE = (1, 28, 28)
CLASSES = 10
_MEAN, _STD = 0.2860, 0.3530  # of the training pixels, in [0,1]


def present(directory=DIRECTORY):
    return os.path.isfile(os.path.join(directory, "train-images-idx3-ubyte.gz"))


def _idx(path, magic, dims):
    """Reads one gzipped IDX file of unsigned bytes."""
    import torch

    try:
        with gzip.open(path, "rb") as f:
            content = f.read()
    except (OSError, EOFError) as err:
        raise Problem("the dataset file %s cannot be read (%s); reinstall dataset-fashion-mnist" % (path, err))
    sizes = [int.from_bytes(content[4 + 4 * i : 8 + 4 * i], "big") for i in range(dims)]
    count = 1
    for size in sizes:
        count *= size
    header = 4 + 4 * dims
    if int.from_bytes(content[:4], "big") != magic or len(content) != header + count:
        raise Problem("the dataset file %s is damaged; reinstall dataset-fashion-mnist" % path)
    return torch.frombuffer(bytearray(content), dtype=torch.uint8, offset=header).reshape(sizes)


class FashionMNIST:
    """One part of the data, "train" or "t10k", held as bytes and normalised batch by batch."""

    where = "cpu"  # device that holds it

    name = "fashion-mnist"

    def __init__(self, part, directory=DIRECTORY):
        self.images = _idx(os.path.join(directory, part + "-images-idx3-ubyte.gz"), 0x803, 3).unsqueeze(1)
        self.labels = _idx(os.path.join(directory, part + "-labels-idx1-ubyte.gz"), 0x801, 1).long()

    def __len__(self):
        return len(self.labels)

    def move(self, device):
        """Keeps the whole set on the device, so that no step waits for a copy."""
        self.images, self.labels, self.where = self.images.to(device), self.labels.to(device), device

    def batch(self, rows, device):
        rows = rows.to(self.where)
        x = self.images[rows].to(device).float().div_(255).sub_(_MEAN).div_(_STD)
        return x, self.labels[rows].to(device)

    def batches(self, size, device):
        import torch

        for rows in torch.arange(len(self)).split(size):
            yield self.batch(rows, device)


class Synthetic:
    """Normally distributed input, or random tokens of a vocabulary, with random labels; no measure of accuracy."""

    where = "cpu"

    name = "synthetic"

    def __init__(self, shape, classes, length, vocabulary=None):
        import torch

        generator = torch.Generator().manual_seed(1)
        elements = 1
        for size in shape:
            elements *= size
        # Distinct samples up to 64 MiB; a longer set repeats them.
        held = max(1, min(length, (64 << 20) // (4 * elements)))
        size = (held,) + tuple(shape)
        self.images = (
            torch.randint(0, vocabulary, size, generator=generator) if vocabulary
            else torch.randn(size, generator=generator)
        )
        self.labels = torch.randint(0, max(classes, 1), (held,), generator=generator)
        self.length = length

    def __len__(self):
        return self.length

    move = FashionMNIST.move

    def batch(self, rows, device):
        rows = rows.to(self.where) % len(self.labels)
        return self.images[rows].to(device), self.labels[rows].to(device)
