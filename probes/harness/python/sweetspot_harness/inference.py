"""A batch inference: the accuracy first, then passes over the data."""

import itertools
import time

from . import events, machine, stopping, timing
from .labelled import Accuracy
from .loading import Problem


def go(run):
    import torch

    run.model.eval()
    batch = run.options.batch
    data = run.test if run.test is not None else run.train
    whole = len(data) // batch * batch
    if whole == 0:
        raise Problem("a batch of %d is more than the %d samples of the set" % (batch, len(data)))
    # In use, nobody measures the network's accuracy before each start.
    with events.aside():
        _accuracy(run)
    # Without a number of passes it goes on until sweetspot knows enough.
    passes = range(run.options.epochs) if run.options.epochs > 0 else itertools.count()
    run.settle()
    clock = timing.timer(run)
    events.init()
    stopping.watch()
    clock.begin()
    try:
        with torch.no_grad():
            for epoch in passes:
                _pass(run, data, epoch, whole, clock)
    except stopping.Interrupted:
        clock.end()
        raise
    clock.end()


def _pass(run, data, epoch, whole, clock):
    import torch

    batch = run.options.batch
    for index, first in enumerate(range(0, whole, batch)):
        stopping.check()
        x, _ = run.batch(data, torch.arange(first, first + batch, device=data.where))
        with run.context():
            run.model(x)
        clock.step(epoch, index, batch)
        if run.memory_is_due(time.perf_counter()):
            machine.memory(run.device)


def _accuracy(run):
    labelled = run.labelled()
    if labelled is None or run.classes is None:
        return
    found = Accuracy(run, labelled)
    value = found.value
    if value < 2 / run.classes:
        words = "the accuracy of %.1f %% is near that of guessing among %d classes" % (100 * value, run.classes)
        if not run.is_trained():
            words += (
                ": the weights are those of an untrained network, so no accuracy is recorded; give --eval to record "
                "it nevertheless"
            )
            value = None
        events.warn(words)
    events.emit(
        "validation", epoch=0, seconds=round(found.seconds, 9), metric="top1", value=value, higher_is_better=True,
        units=found.units,
    )
