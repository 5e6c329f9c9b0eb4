"""Labelled sets, and the accuracy of the network on one."""

import time

from . import machine, stopping
from .loading import Problem, describe, made


class Given:
    """The user's set: batches, or a Dataset of samples, of input and class number."""

    def __init__(self, spec, shape):
        self.set, self.name, where = made(spec)
        self.where = "%s() in %s" % (self.name, where)
        if isinstance(self.set, tuple) and len(self.set) == 2 and hasattr(self.set[0], "shape"):
            self.set = [self.set]  # one batch
        try:
            again = iter(self.set) is not iter(self.set)
        except TypeError:
            again = hasattr(self.set, "__getitem__")
        if not again:
            raise Problem(
                "%s returned a %s, which can be gone through once at most; return a DataLoader, a Dataset or a list "
                "of batches"
                % (self.where, type(self.set).__name__)
            )
        x, _ = next(self._pairs(), (None, None))
        if x is None:
            raise Problem("%s returned an empty set" % self.where)
        self.single = tuple(x.shape) == shape
        if not self.single and tuple(x.shape[1:]) != shape:
            raise Problem(
                "%s yields inputs of shape %s, which are neither samples nor batches of %s"
                % (self.where, "x".join(map(str, x.shape)), "x".join(map(str, shape)))
            )

    def __len__(self):
        """Samples, if known: a set of batches has no length."""
        if not self.single:
            raise TypeError("the number of samples in a set of batches is unknown")
        return len(self.set)

    def _pairs(self):
        import torch

        try:
            for pair in self.set:
                x, y = pair
                yield torch.as_tensor(x), torch.as_tensor(y)
        except Exception as err:
            if machine.out_of_memory(err):
                raise
            raise Problem("%s does not yield pairs of input and label: %s" % (self.where, describe(err))) from err

    def batches(self, size, device):
        """Inputs and labels in batches; the user's batches keep their size."""
        import torch

        if not self.single:
            for x, y in self._pairs():
                yield x.to(device), y.to(device)
            return
        xs, ys = [], []
        for x, y in self._pairs():
            xs.append(x)
            ys.append(y)
            if len(xs) == size:
                yield torch.stack(xs).to(device), torch.stack(ys).to(device)
                xs, ys = [], []
        if xs:
            yield torch.stack(xs).to(device), torch.stack(ys).to(device)


class Accuracy:
    """Top-1 on a whole set: value, seconds and units; value is None if it was cut off."""

    def __init__(self, run, labelled, limit=None):
        import torch

        begin = time.perf_counter()
        right = torch.zeros((), dtype=torch.long, device=run.device)
        self.units, self.value = 0, None
        with torch.no_grad():
            for x, y in labelled.batches(run.fixed or max(run.options.batch, 256), run.device):
                right += (run.predict(x).argmax(1).to(y.device) == self._checked(run, y, len(x))).sum()
                self.units += len(x)
                self.seconds = time.perf_counter() - begin
                if limit is None:
                    stopping.check()
                elif self.seconds > limit:
                    return
        self.value = int(right) / self.units
        self.seconds = time.perf_counter() - begin

    def complete(self, labelled):
        """Scales what was cut off up to the whole set, where its size is known."""
        try:
            units = len(labelled) if self.value is None else self.units
        except TypeError:
            return
        self.seconds *= units / self.units
        self.units = units

    @staticmethod
    def _checked(run, y, count):
        if tuple(y.shape) != (count,):
            raise Problem(
                "the labels of the set are of shape %s, not one class number for each of %d samples"
                % (tuple(y.shape), count)
            )
        if run.options.eval and count and not 0 <= int(y.min()) <= int(y.max()) < run.classes:
            raise Problem(
                "the labels of the set range from %d to %d, but the model has %d classes"
                % (y.min(), y.max(), run.classes)
            )
        return y
