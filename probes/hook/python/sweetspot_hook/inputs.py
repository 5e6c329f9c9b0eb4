"""The samples of an epoch whose batches no loader gives, counted as the network is given them.

    for epoch in range(epochs):
        for x, y in batches_of(data):  # a generator
            loss = criterion(model(x), y)
"""

from . import loaders


class Inputs:
    """The batches that a network was given since its first step. They are counted until the first epoch is over."""

    def __init__(self, batch, given):
        """The first step's batch; given is what the network was given then, which may have words before samples."""
        self.axis = given.index(batch)
        self.batch = self.latest = self.samples = batch
        self.calls = 1

    def size(self, inputs):
        """How many samples it is given now, or None."""
        seen = loaders.glance_at_inputs(inputs)
        return seen[0][self.axis] if seen is not None and len(seen[0]) > self.axis else None

    def add(self, size):
        """It was given so many."""
        self.calls, self.latest = self.calls + 1, size or 0
        self.samples += self.latest

    def of_epoch(self, steps):
        """The samples of an epoch of so many steps, of which one more was made since; None if unknown.

        Where all batches are as large as the first, a smaller one may be left out.
        """
        samples = self.samples - self.latest
        return samples if self.calls == steps + 1 and samples != steps * self.batch else None


def of(batch, given, loop):
    """Counts them where a loop over epochs does not tell how many there are; given is a shape. None where it does."""
    unknown = loop is not None and loop.code is not None and loop.samples is None and loop.cut is None
    return Inputs(batch, given) if unknown and loop.length != 1 and given and batch in given[:2] else None
