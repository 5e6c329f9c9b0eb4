"""Drives the recorder with a device whose time is set by hand; prints what happened, event by event.

An event of the device is passed once the device's clock is beyond it. This
stands for a CUDA device where there is none; it does not show that one keeps
to it.
"""

import json
import sys
import threading
import time
import types

from sweetspot_hook import clock, compiled, events
from sweetspot_hook.recorder import Recorder

device_now = 0.0  # ms that the device has worked off
queued = 0.0  # ms of work that the host has queued
waits = []
capturing = False  # a graph, which a question to the device would spoil


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self, stream):
        assert stream == "stream of device 1" and not capturing
        self.at = queued

    def query(self):
        assert not capturing
        return self.at <= device_now

    def synchronize(self):
        global device_now
        assert not capturing
        waits.append(self.at)
        device_now = max(device_now, self.at)

    def elapsed_time(self, end):
        if not self.query() or not end.query():
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        return end.at - self.at


cuda = types.SimpleNamespace(
    Event=Event, current_stream=lambda device: "stream of device %d" % device, is_current_stream_capturing=lambda: capturing,
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
begin = recorder.saving(("a checkpoint", "model.pt"), {}, False)
queued += 25
recorder.saved(begin)
recorder.report(recorder.boundary(0, None, recorder.clock.mark()))
print(len(lines), "reported, waits for", waits)

handler = types.SimpleNamespace(
    register_start_callback=lambda call: setattr(handler, "begin", call), register_end_callback=lambda call: setattr(handler, "end", call)
)
sys.modules["torch._dynamo.callback"] = types.SimpleNamespace(callback_handler=handler)
compiled._tell_of_compiling(recorder)
handler.begin()
time.sleep(0.1)  # the device works off what was queued, and is idle for the rest
queued += 40
handler.end()
queued += 10
recorder.report(recorder.boundary(0, None, recorder.clock.mark()))

capturing = True
recorder.saved(recorder.saving(("in a capture", "model.pt"), {}, False))
recorder.queue.drain(recorder.clock, 0)
capturing = False
print("off:", recorder.off)

ahead, behind = recorder.clock.mark(), recorder.clock.mark()
behind.event.at += 50  # in a stream that is behind
print(recorder.clock.seconds(ahead, behind), "s to another stream's mark")
recorder.finish()
for e in map(json.loads, lines):
    if "seconds" in e and e["event"] != "overhead":
        print(e["event"], e["seconds"] if e["seconds"] > 1e-3 else "of no time")
