"""Times a training on the CPU as one on a GPU is: by events of a device that is behind the host.

What only a device can show, such as how long anything takes on it, this cannot.
"""

import os
import time
import types

from sweetspot_hook import clock

LAG = 0.01  # seconds that the device is behind


class Event:
    def __init__(self, enable_timing):
        assert enable_timing, "an event without timing tells no time"
        self.process, self.ends = os.getpid(), (os.getpid, os._exit)

    def __del__(self):
        getpid, end = self.ends
        if getpid() != self.process:
            end(134)  # CUDA's cannot be destroyed in a process that was forked: PyTorch aborts

    def record(self, stream):
        assert stream == "the current stream"
        self.at = time.perf_counter()

    def query(self):
        return time.perf_counter() >= self.at + LAG

    def synchronize(self):
        time.sleep(max(0.0, self.at + LAG - time.perf_counter()))

    def elapsed_time(self, end):
        assert self.query() and end.query(), "asked before the device was there"
        return 1000 * (end.at - self.at)


device = types.SimpleNamespace(Event=Event, current_stream=lambda _: "the current stream", synchronize=lambda _: time.sleep(LAG))
clock.of = lambda torch, _, ahead: clock.StreamClock(device, 0, ahead)
