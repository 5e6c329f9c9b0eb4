"""What happened and is not evaluated yet.

A program's own work drives ours out of the processor's caches, so that a line of ours
takes several times as long right after a step as it does right after itself. A step that
is like those before is therefore only noted, and many are evaluated one after the other.
"""

import _thread
import collections


# Calls that wait at most. A step has one for itself and one for each of its batches.
MOST = 64


class Log:
    """Calls to be made later, in their order, by one thread at a time."""

    def __init__(self):
        self.calls = collections.deque()  # (function, arguments...)
        self.add = self.calls.append
        self._lock = _thread.RLock()

    def run(self):
        with self._lock:
            while self.calls:
                call, *args = self.calls.popleft()
                call(*args)
