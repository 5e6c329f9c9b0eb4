"""A batch inference: passes over the data, the accuracy taken from the first."""

import itertools
import time

from . import events, machine, stopping
from .loading import Problem


def go(run):
    import torch

    run.model.eval()
    batch = run.options.batch
    data = run.test if run.test is not None else run.train
    labelled = run.test is not None and run.classified
    whole = len(data) // batch * batch
    if whole == 0:
        raise Problem("a batch of %d is more than the %d samples of the set" % (batch, len(data)))
    right, seconds = 0, 0.0
    # Without a number of passes it goes on until sweetspot knows enough.
    passes = range(run.options.epochs) if run.options.epochs > 0 else itertools.count()
    with torch.no_grad():
        events.emit("init", seconds=round(events.since_start(), 6))
        for epoch in passes:
            for index, first in enumerate(range(0, whole, batch)):
                stopping.check()
                begin = time.perf_counter()
                x, y = data.batch(torch.arange(first, first + batch), run.device)
                with run.context():
                    out = run.model(x)
                run.synchronize()
                now = time.perf_counter()
                events.iteration(epoch, index, now - begin, batch)
                if epoch == 0 and labelled:
                    right += int((out.argmax(1) == y).sum())
                    seconds += now - begin
                if run.memory_is_due(now):
                    machine.memory(run.device)
            if epoch == 0 and labelled:
                right, seconds = _rest(run, data, whole, right, seconds)
                _report(len(data), right, seconds)


def _rest(run, data, whole, right, seconds):
    """The last, smaller batch counts for the accuracy but is no iteration."""
    import torch

    if whole == len(data):
        return right, seconds
    begin = time.perf_counter()
    x, y = data.batch(torch.arange(whole, len(data)), run.device)
    with run.context():
        right += int((run.model(x).argmax(1) == y).sum())
    return right, seconds + time.perf_counter() - begin


def _report(units, right, seconds):
    accuracy = right / units
    if accuracy < 0.2:
        events.warn(
            "the accuracy of %.1f %% is about that of guessing among 10 classes: the factory returns untrained weights,"
            " so no accuracy is recorded" % (100 * accuracy)
        )
        accuracy = None
    events.emit(
        "validation", epoch=0, seconds=round(seconds, 9), metric="top1", value=accuracy, higher_is_better=True, units=units,
    )
