"""Marks in time, and the seconds between two of them.

On a CPU a step is done when it returns, so the host's clock is right. On a
CUDA device (or AMD's, which PyTorch calls the same), Intel's and Apple's it is
only queued then. There a mark is an event in the device's stream, whose time is
read without waiting, once the device has passed it.
"""

import ctypes
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
        """Whether nobody may ask the device now, nor mark its time: a graph is being captured."""
        return False

    def wait(self, mark=None):
        pass


class Mark:
    """An event of a device, and the host's time of it. Its event is used again once nobody has the mark any more."""

    __slots__ = ("host", "event", "_free")

    def __init__(self, host, event, free):
        self.host, self.event, self._free = host, event, free

    def __del__(self):
        self._free.append(self.event)


def _kept():
    """A list that lasts as long as the process, past the end of Python's interpreter.

    In a process that was forked, as a DataLoader's workers are, CUDA cannot be used, and
    PyTorch ends one that only destroys an event.
    """
    free = []
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(free))
    return free


def of(torch, device, ahead):
    """The clock for what is on the device; None where its times cannot be taken."""
    kind = getattr(device, "type", "cpu")
    if kind in ("cpu", "meta"):
        return HostClock()
    module = getattr(torch, kind, None)
    if kind in ("cuda", "xpu") and hasattr(module, "Event"):
        return StreamClock(module, device, ahead)
    if kind == "mps" and hasattr(module, "Event"):  # from PyTorch 2.1
        return QueueClock(module, ahead)
    return None


def capturing(torch):
    """Whether a CUDA graph is being captured: nothing runs then, and nobody may ask the device."""
    cuda = torch.cuda
    return cuda.is_initialized() and cuda.is_current_stream_capturing()


class StreamClock:
    """Marks are events in the current stream of one device, plus the host's time.

    A mark made before the device was known, or while it captures a graph, is a host's,
    and so is every time that begins or ends with one.
    """

    immediate = False

    def __init__(self, module, device, ahead):
        self._module, self._device, self.ahead, self._free = module, device, ahead, _kept()

    def _event(self):
        try:
            return self._free.pop()
        except IndexError:
            return self._module.Event(enable_timing=True)

    def mark(self):
        if self.busy():
            return perf_counter()
        event = self._event()
        event.record(self._module.current_stream(self._device))
        return Mark(perf_counter(), event, self._free)

    @staticmethod
    def host(mark):
        return mark.host if isinstance(mark, Mark) else mark

    def seconds(self, begin, end):
        if not isinstance(begin, Mark) or not isinstance(end, Mark):
            return self.host(end) - self.host(begin)
        try:
            return begin.event.elapsed_time(end.event) / 1000  # it is in milliseconds
        except RuntimeError:  # one is in another stream of the program's, which is behind
            self.wait(begin)
            self.wait(end)
            return begin.event.elapsed_time(end.event) / 1000

    @staticmethod
    def ready(mark):
        return not isinstance(mark, Mark) or mark.event.query()

    def busy(self):
        capturing = getattr(self._module, "is_current_stream_capturing", None)
        return capturing is not None and capturing()

    def wait(self, mark=None):
        """Waits until the device has passed the mark, or is idle."""
        if mark is None:
            self._module.synchronize(self._device)
        elif isinstance(mark, Mark):
            mark.event.synchronize()


class QueueClock(StreamClock):
    """Apple's device has one queue, which has no name."""

    def __init__(self, module, ahead):
        self._module, self.ahead, self._free = module, ahead, _kept()

    def mark(self):
        event = self._event()
        event.record()
        return Mark(perf_counter(), event, self._free)

    def busy(self):
        return False

    def wait(self, mark=None):
        if mark is None:
            self._module.synchronize()
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
        if clock.busy():
            return  # a question would spoil what is captured
        waiting = self._waiting
        while waiting:
            mark, call = waiting[0]
            if not clock.ready(mark):
                if len(waiting) <= allowed:
                    return
                clock.wait(mark)
            waiting.pop(0)
            call()
