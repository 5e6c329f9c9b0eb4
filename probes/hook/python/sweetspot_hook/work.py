"""How much work a step is, and whether that changes on a schedule: resolution, sequence length, batch size."""

import collections

# Steps of one shape in succession that make it more than chance: lengths of
# texts differ from batch to batch, and the last batch of an epoch is smaller.
SETTLED = 16

# Changes that are told; a schedule of more has been noticed by then.
MOST = 3


class Work:
    """The shapes of the steps' batches."""

    def __init__(self):
        self.settled = self.latest = None  # (units, shape of one)
        self.since = self.told = 0
        self.shape = None  # of one unit, once as many steps had no other
        self.first, self.same = None, 0  # shape of a unit, and the steps that had it, −1 after another
        self.steps = collections.Counter()  # by their units, since these changed for good

    def step(self, units, shape, count):
        """After a step: a sentence if the work of steps has changed for good, else None. count is of all steps."""
        self._unit(shape)
        self.count(units)
        now = (units, shape)
        if now != self.latest:
            self.latest, self.since = now, 0
        self.since += 1
        if self.since != SETTLED or None in now or now == self.settled:
            return None
        before, self.settled = self.settled, now
        if before is None:
            return None
        self.steps = collections.Counter({units: SETTLED})
        if self.told == MOST:
            return None
        self.told += 1
        return "the work of a step changes: %s until step %d, then %s; times before it say little of those after it" % (
            _words(before), count - SETTLED, _words(now))

    def count(self, units):
        """Notes a step of so many, None for unknown."""
        if units is not None:
            self.steps[units] += 1

    def batch(self):
        """The units of a usual step, None if unknown: the larger median.

        They are drawn by chance in some trainings, or as many as long texts leave room for, and the last of an
        epoch has fewer.
        """
        before = sum(self.steps.values()) // 2
        for units in sorted(self.steps):
            before -= self.steps[units]
            if before < 0:
                return units
        return None

    def _unit(self, shape):
        if self.same < 0 or self.same >= SETTLED:
            return
        self.first = self.first or shape
        self.same = self.same + 1 if shape and shape == self.first else -1
        if self.same == SETTLED:
            self.shape = "x".join(map(str, shape))


def _words(work):
    units, shape = work
    return "%d x %s" % (units, "x".join(map(str, shape)) or "1")
