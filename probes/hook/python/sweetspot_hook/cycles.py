"""Which steps of a program's optimizers make an iteration.

The optimizer that steps first in a batch is the primary: an iteration lasts from the end
of one of its steps to the end of the next. Others that step in between belong to it, as
those of an adversarial pair or of single layers do. A step that no iteration had so far is
in doubt. It may be of such an optimizer, or of one that takes the primary's place, as in a
training by stages. It is held back until that shows.
"""

# Steps of another optimizer, without one of the primary, after which it takes over.
TAKEOVER_STEPS = 16


class Cycles:
    """The steps of optimizers, named by keys, since the primary's last, and in the iterations before."""

    def __init__(self):
        self.now, self.usual = {}, {}  # steps by key: in this iteration, and the most in any before
        self.done = 0  # whole iterations
        self.run = self.before = 0  # steps of the primary in a row, now and in the iteration before
        self.end = self.latest = None  # key of the last step in the iteration before, and in this one

    def begin(self, key):
        """The primary, which has this key, has ended an iteration."""
        if self.now:
            self.before, self.run = self.run, 0
        self.run += 1
        if self.latest is not None:
            self.end, self.done = self.latest, self.done + 1
        for k, n in self.now.items():
            self.usual[k] = max(n, self.usual.get(k, 0))
        self.now, self.latest = {}, key

    def again(self):
        """The primary steps once more in an iteration, as to regularise."""
        self.run += 1

    def is_again(self):
        """Whether it does so if it steps now: before, each of its steps was followed by another optimizer's."""
        return not self.now and self.run == self.before == 1

    def add(self, key):
        """Another optimizer's step: whether it is in doubt."""
        self.latest = key
        self.now[key] = self.now.get(key, 0) + 1
        return self.now[key] > self.usual.get(key, 0)

    def takes_over(self, key):
        return self.now.get(key, 0) - self.usual.get(key, 0) > TAKEOVER_STEPS

    def stage(self, held):
        """The key among those of the steps in doubt that made iterations of their own, or None.

        held is (key, whether it had data of its own) of each. The primary has stepped alone
        before, and this optimizer more than once since: a stage of its own.
        """
        if self.done < 2:
            return None
        for key, _ in held:
            own = [data for k, data in held if k == key]
            if len(own) > 1 and all(own) and key not in self.usual:
                return key
        return None


def groups(keys, primary):
    """The numbers of steps in the iterations of a primary, and how many are left: of (a b a b b), (1 2) and 2."""
    sizes, size = [], 0
    for key in keys:
        size += 1
        if key == primary:
            sizes.append(size)
            size = 0
    return sizes, size
