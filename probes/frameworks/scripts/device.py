"""Drives the recorder with a device whose time is set by hand; prints what happened, event by event.

An event of the device is passed once the device's clock is beyond it. This
stands for a CUDA device where there is none; it does not show that one keeps
to it.
"""

import json
import threading
import types

from sweetspot_hook import clock, events
from sweetspot_hook.recorder import Recorder

device_now = 0.0  # ms that the device has worked off
queued = 0.0  # ms of work that the host has queued
waits = []


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self, stream):
        assert stream == "stream of device 1"
        self.at = queued

    def query(self):
        return self.at <= device_now

    def synchronize(self):
        global device_now
        waits.append(self.at)
        device_now = max(device_now, self.at)

    def elapsed_time(self, end):
        assert self.query() and end.query(), "asked before the device was there"
        return end.at - self.at


cuda = types.SimpleNamespace(
    Event=Event, current_stream=lambda device: "stream of device %d" % device, is_current_stream_capturing=lambda: False,
    synchronize=lambda device: None,
)
recorder = Recorder(types.SimpleNamespace(cuda=cuda, is_grad_enabled=lambda: True), "/nowhere")
recorder.clock = clock.StreamClock(cuda, 1, 4)
recorder.count, recorder.owner, recorder.memory_at = 1, threading.get_ident(), float("inf")
recorder.last = recorder.clock.mark()
lines = []
events.LATE = 0
events.write = lambda line: lines.append(line)

for step in range(4):  # 10 ms each; nothing is done yet, and nobody waits
    queued += 10
    recorder.report(recorder.boundary(0, None, recorder.clock.mark()))
print(len(lines), "reported,", len(waits), "waits")
queued += 10
recorder.report(recorder.boundary(0, None, recorder.clock.mark()))  # more than 4 are outstanding
print(len(lines), "reported, waits for", waits)
device_now = 35
queued += 10
begin = recorder.saving(("a checkpoint", "model.pt"), {})
queued += 25
recorder.saved(begin)
recorder.report(recorder.boundary(0, None, recorder.clock.mark()))
print(len(lines), "reported, waits for", waits)
recorder.finish()
for e in map(json.loads, lines):
    if "seconds" in e:
        print(e["event"], e["seconds"])
