"""The time between two steps, with what happened in it."""


class Interval:
    """What lies between two steps. The device may not have passed its end yet."""

    __slots__ = ("key", "t", "epoch", "place", "begin", "end", "validations", "pauses", "units", "wait")

    def __init__(self, key, t, epoch, place, begin, end, validations, pauses, units, wait):
        self.key, self.t, self.epoch, self.place, self.begin, self.end = key, t, epoch, place, begin, end
        self.validations, self.pauses, self.units, self.wait = validations, pauses, units, wait

    def add(self, later):
        """Takes the one that follows."""
        self.t, self.place, self.end = later.t, later.place, later.end
        self.validations, self.pauses = [*self.validations, *later.validations], [*self.pauses, *later.pauses]
        if later.units is not None:
            self.units = later.units + (self.units or 0)
        if later.wait is not None:
            self.wait = later.wait + (self.wait or 0.0)
