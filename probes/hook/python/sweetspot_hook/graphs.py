"""Steps that were captured in a CUDA graph: they happen when it is replayed."""

import functools
import weakref


class Graphs:
    def __init__(self):
        self._capturing = None  # weak, the graph
        self._steps = weakref.WeakKeyDictionary()  # weak optimizers, by graph

    def begun(self, graph):
        self._capturing = weakref.ref(graph)

    def captured(self, optimizer):
        """A step of the optimizer went into the graph that is captured."""
        graph = self._capturing() if self._capturing is not None else None
        if graph is not None:
            self._steps.setdefault(graph, []).append(weakref.ref(optimizer))

    def of(self, graph):
        """The optimizers whose steps the graph holds."""
        return [o for o in (w() for w in self._steps.get(graph, ())) if o is not None]


def watch(r, torch):
    """Wraps what captures and replays."""
    cls = getattr(torch.cuda, "CUDAGraph", None)
    begin, replay = getattr(cls, "capture_begin", None), getattr(cls, "replay", None)
    if begin is None or replay is None:
        return

    @functools.wraps(begin)
    def capture_begin(self, *args, **kwargs):
        r.attempt(r.graphs.begun, self)
        return begin(self, *args, **kwargs)

    @functools.wraps(replay)
    def replayed(self, *args, **kwargs):
        result = replay(self, *args, **kwargs)
        for optimizer in r.attempt(r.graphs.of, self) or ():
            if r.enter():
                r.leave()
                r.stepped(lambda args, kwargs, optimizer=optimizer: optimizer, (), {})
        return result

    cls.capture_begin, cls.replay = capture_begin, replayed
