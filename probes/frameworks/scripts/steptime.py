"""A script's own timing of its steps: from the end of one to the end of the next, without what is done in between.

The first ten are its warm-up.
"""

import contextlib
import time


class Steps:
    def __init__(self):
        self.last, self.seconds, self.count = None, 0.0, 0

    def ended(self):
        now = time.perf_counter()
        self.count += 1
        if self.count > 10:
            self.seconds += now - self.last
        self.last = now

    @contextlib.contextmanager
    def between(self):
        """What is done inside belongs to no step."""
        begin = time.perf_counter()
        yield
        if self.last is not None:
            self.last += time.perf_counter() - begin

    def tell(self):
        print("%.7f s a step" % (self.seconds / (self.count - 10)))
