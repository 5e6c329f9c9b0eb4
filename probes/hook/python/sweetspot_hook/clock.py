"""Marks in time, and the seconds between two of them.

On a CPU a step is done when it returns, so the host's clock is right. On a
CUDA device it is only queued then. There a mark is an event in the device's
stream, whose time is read without waiting, once the device has passed it.
"""

from time import perf_counter


class HostClock:
    """Marks are time.perf_counter()."""

    immediate = True
    ahead = 0  # iterations that the host may be before the device

    mark = staticmethod(perf_counter)

    @staticmethod
    def host(mark):
        return mark

    @staticmethod
    def seconds(begin, end):
        return end - begin

    @staticmethod
    def ready(mark):
        return True

    def busy(self):
        """Whether marks would disturb the device now."""
        return False

    def wait(self, mark=None):
        pass


class Mark:
    __slots__ = ("host", "event")

    def __init__(self, host, event):
        self.host, self.event = host, event


class CUDAClock:
    """Marks are events in the current stream of one device, plus the host's time.

    A mark made before the device was known is a host's, and so is every time
    that begins or ends with one.
    """

    immediate = False

    def __init__(self, torch, device, ahead):
        self._cuda, self._device, self.ahead = torch.cuda, device, ahead

    def mark(self):
        event = self._cuda.Event(enable_timing=True)
        event.record(self._cuda.current_stream(self._device))
        return Mark(perf_counter(), event)

    @staticmethod
    def host(mark):
        return mark.host if isinstance(mark, Mark) else mark

    def seconds(self, begin, end):
        if isinstance(begin, Mark) and isinstance(end, Mark):
            return begin.event.elapsed_time(end.event) / 1000  # it is in milliseconds
        return self.host(end) - self.host(begin)

    @staticmethod
    def ready(mark):
        return not isinstance(mark, Mark) or mark.event.query()

    def busy(self):
        return self._cuda.is_current_stream_capturing()

    def wait(self, mark=None):
        """Waits until the device has passed the mark, or is idle."""
        if mark is None:
            self._cuda.synchronize(self._device)
        elif isinstance(mark, Mark):
            mark.event.synchronize()


class Queue:
    """Reports to make once the device has passed a mark, in the order of the marks."""

    def __init__(self):
        self._waiting = []

    def add(self, mark, call):
        self._waiting.append((mark, call))

    def drain(self, clock, allowed):
        """Makes the reports whose marks the device has passed, and waits while more than allowed are left."""
        waiting = self._waiting
        while waiting:
            mark, call = waiting[0]
            if not clock.ready(mark):
                if len(waiting) <= allowed:
                    return
                clock.wait(mark)
            waiting.pop(0)
            call()
