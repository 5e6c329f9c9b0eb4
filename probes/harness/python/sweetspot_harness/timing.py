"""Times of steps.

On a CPU a step is done when it returns. On a CUDA device it is only queued then: its end
is an event in the device's stream, which is read once the device has passed it. Nobody
waits for the device in a step, or its next one would begin late.
"""

import time

from . import events, loading

# Steps that the host may be ahead of the device. Beyond, it waits: a stop must not take
# long, and a driver's queue is finite.
AHEAD = 8


def timer(run):
    """The clock for what runs on the device; ONNX Runtime's work is in no stream of PyTorch."""
    if run.device.type == "cuda" and loading.suffix(run.options.model) != ".onnx":
        return Events(run.device)
    return Host(run.synchronize)


class Host:
    """The host's clock, once the device is idle."""

    def __init__(self, wait):
        self._wait = wait

    def begin(self):
        """A stretch of steps begins here."""
        self._at = time.perf_counter()

    def step(self, epoch, index, units):
        """The end of a step, which began at the end of the one before."""
        self._wait()
        events.iteration(epoch, index, time.perf_counter() - self._at, units)
        self._at = time.perf_counter()

    def end(self):
        """After the last step of a stretch."""


class Events:
    """Events of the device. A step lasts from the end of the one before it to its own."""

    def __init__(self, device, report=events.iteration):
        import torch

        self._cuda, self._device, self._tell, self._waiting = torch.cuda, device, report, []

    def _mark(self):
        event = self._cuda.Event(enable_timing=True)
        event.record(self._cuda.current_stream(self._device))
        return event

    def begin(self):
        self._cuda.synchronize(self._device)  # what came before is no part of the first step
        self._last = self._mark()

    def step(self, epoch, index, units):
        begin, self._last = self._last, self._mark()
        self._waiting.append((begin, self._last, epoch, index, units))
        self._report(AHEAD)

    def _report(self, allowed):
        """Reports the steps that the device has passed, and waits while more than allowed are left."""
        while self._waiting:
            begin, end, epoch, index, units = self._waiting[0]
            if not end.query():
                if len(self._waiting) <= allowed:
                    return
                end.synchronize()
            self._waiting.pop(0)
            self._tell(epoch, index, begin.elapsed_time(end) / 1000, units)  # it is in milliseconds

    def end(self):
        self._report(0)
