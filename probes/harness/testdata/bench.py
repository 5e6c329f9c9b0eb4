"""What the tests of the harness share: options, recorded events, a small dataset."""

import argparse
import gzip
import os
import struct
import sys
import tempfile
import unittest
from unittest import mock

import fashion_cnn
import torch
from sweetspot_harness import events
from sweetspot_harness.run import Run

CPU = torch.device("cpu")
EXAMPLE = fashion_cnn.__file__


def options(**given):
    values = dict(
        model=EXAMPLE + ":fashion_cnn", name="net", mode="infer", input="1x28x28", batch=32, epochs=1, precision="fp32",
        data="auto", data_dir="/nowhere", train_size=0, optimizer="sgd", rate=0.0, trained=False, prune="", fine_tune=0,
        eval="", layers=False, fit_batch=0, work_only=False, telemetry=False,
    )
    assert set(given) <= set(values), given
    values.update(given)
    return argparse.Namespace(**values)


class Case(unittest.TestCase):
    """Keeps the events of a test in self.events, and gives it a directory of its own."""

    def setUp(self):
        self.events = []
        self.replace(events, "emit", lambda event, **fields: self.events.append((event, fields)))
        self.replace(events, "iteration", lambda *fields: self.events.append(("iteration", fields)))
        self.replace(events, "log", lambda message: self.events.append(("log", message)))
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.dir = holder.name
        self.replace(os, "environ", dict(os.environ, XDG_CACHE_HOME=os.path.join(self.dir, "cache")))
        path, modules = list(sys.path), set(sys.modules)

        def restore():
            sys.path[:] = path
            for name in set(sys.modules) - modules:
                if getattr(sys.modules[name], "__file__", None) and sys.modules[name].__file__.startswith(self.dir):
                    del sys.modules[name]

        self.addCleanup(restore)

    def replace(self, place, name, value):
        patch = mock.patch.object(place, name, value)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name, source):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(source)
        return path

    def of(self, kind):
        return [fields for event, fields in self.events if event == kind]

    def run_of(self, **given):
        return Run(options(**given), CPU)


def small_dataset(directory, train=768, test=200):
    """Files like Fashion-MNIST's: a bright row whose place is the class."""
    generator = torch.Generator().manual_seed(5)
    for part, count in (("train", train), ("t10k", test)):
        labels = torch.arange(count) % 10
        images = torch.randint(0, 60, (count, 28, 28), generator=generator)
        for i, label in enumerate(labels.tolist()):
            images[i, 2 * label + 3 : 2 * label + 5] = 255
        _idx(os.path.join(directory, part + "-images-idx3-ubyte.gz"), 0x803, images)
        _idx(os.path.join(directory, part + "-labels-idx1-ubyte.gz"), 0x801, labels)
    return directory


def _idx(path, magic, values):
    with gzip.open(path, "wb") as f:
        f.write(struct.pack(">%dI" % (1 + values.dim()), magic, *values.shape))
        f.write(bytes(values.flatten().to(torch.uint8).tolist()))
