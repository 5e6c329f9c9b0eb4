"""Waits for a device in a thread of its own, so that the program need not.

JAX returns before it has computed. To wait for every result would keep the program from
preparing the next batch meanwhile, so that the training would be slower than it is.
"""

import _thread
import queue
from time import perf_counter


class Follower:
    """Calls report(time) for all that is added, in order, once the device is done with it.

    What it is done with already, as with what comes before, is reported at once.
    """

    def __init__(self, failed):
        self._failed = failed  # gets the exception of a report
        self._queue = None
        self._added = self._reported = 0

    def add(self, result, report):
        """result is a pair: whether the device is done with it, and what waits for that. None is done."""
        now = perf_counter()
        if self._added == self._reported and (result is None or result[0]()):
            return report(now)
        if self._queue is None:
            self._queue = queue.SimpleQueue()
            _thread.start_new_thread(self._follow, (self._queue,))  # not among the program's own threads
        self._added += 1
        self._queue.put((result, now, report))

    def flush(self):
        """Returns once all has been reported."""
        if self._added == self._reported:
            return
        done = _thread.allocate_lock()
        done.acquire()
        self.add(None, lambda _: done.release())
        done.acquire()

    def _follow(self, waiting):
        while True:
            result, at, report = waiting.get()
            try:
                if result is not None:
                    result[1]()
                    at = perf_counter()
            except Exception:  # the device failed, or has reused the memory: the time of the call has to do
                pass
            try:
                report(at)
            except Exception as err:
                self._failed(err)
            result = report = None  # they hold memory
            self._reported += 1
