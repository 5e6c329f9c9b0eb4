"""The share of each layer in the time of a forward pass, from the framework's profiler."""

import math
import time

from . import events
from .files import Frozen

_PREFIX = "sweetspot layer "
_WHOLE = "sweetspot forward"
_PASSES, _SECONDS = 5, 2.0  # whichever is reached first; one pass at least
_LAYERS = 1000


def report(run):
    """Emits the event `layers` for a few passes without gradients."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    if isinstance(run.model, (torch.jit.ScriptModule, Frozen)):
        events.warn(
            "the layers of this model file cannot be distinguished, so there are no shares of time; probe the Python "
            "factory instead"
        )
        return
    run.model.eval()
    x = run.sample(run.options.batch)
    with torch.no_grad():
        _forward(run, x)  # what the mode before did not need is made now
        marks = _Marks(run)
        try:
            with profile(activities=[ProfilerActivity.CPU]) as measured:
                begin = time.perf_counter()
                for _ in range(_PASSES):
                    with torch.profiler.record_function(_WHOLE):
                        _forward(run, x)
                    if time.perf_counter() - begin > _SECONDS:
                        break
        finally:
            marks.remove()
    seconds = {e.key: e.cpu_time_total for e in measured.key_averages()}
    whole = seconds.get(_WHOLE, 0)
    if whole > 0:
        layers = [
            {"name": name, "kind": kind, "share": _share(seconds.get(_PREFIX + name, 0), whole)}
            for name, kind in marks.leaves()
        ]
        events.emit("layers", layers=layers[:_LAYERS])


def _share(part, whole):
    """Rounded down, so that all shares add up to 1 at most."""
    return math.floor(1e6 * min(1.0, part / whole)) / 1e6


def _forward(run, x):
    with run.context():
        run.model(x)
    run.synchronize()


class _Marks:
    """Marks each layer's forward pass for the profiler.

    The device is synchronised at both ends, so that a mark lasts as long as its
    layer's work. A layer is a module that calls no other.
    """

    def __init__(self, run):
        self._run, self._open, self._called, self._inner, self._hooks = run, [], {}, set(), []
        for name, module in run.model.named_modules():
            name = name or ("" if next(module.children(), None) else run.options.name)
            if name:
                self._hooks.append(module.register_forward_pre_hook(self._enter(name)))
                self._hooks.append(module.register_forward_hook(self._leave))

    def _enter(self, name):
        import torch

        def enter(module, _inputs):
            if self._open:
                self._inner.add(self._open[-1][0])
            self._called[name] = type(module).__name__
            self._run.synchronize()
            mark = torch.profiler.record_function(_PREFIX + name)
            mark.__enter__()
            self._open.append((name, mark))

        return enter

    def _leave(self, _module, _inputs, _output):
        self._run.synchronize()
        self._open.pop()[1].__exit__(None, None, None)

    def leaves(self):
        return [(name, kind) for name, kind in self._called.items() if name not in self._inner]

    def remove(self):
        for hook in self._hooks:
            hook.remove()
