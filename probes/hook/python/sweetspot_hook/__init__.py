"""Watches a PyTorch training from inside its own process, without a change to it.

Works with PyTorch 1.13 and 2.x, and imports it never: what is to be watched is
wrapped once the program has imported it. The rooms:

    events.py     writes the event lines
    machine.py    what this machine is
    patches.py    wraps optimizers, loaders, modules and torch.save
    recorder.py   turns what the wrappers see into iterations
    between.py    and what comes between two of them into pauses and validations
    guard.py      keeps what fails in here out of the program
    loaders.py    one pass over a DataLoader, and what a batch and a loader tell
    phases.py     validations: between eval() and train(), or over another loader
    clock.py      time on the host, and on a CUDA device without waiting for it
    facts.py      what is trained: parameters, precision, GPUs
    epochs.py     how many epochs the program means to train
    ranks.py      which process of a data-parallel training this is
    control.py    the request to stop
"""

import os
import sys

MARK = "SWEETSPOT_HOOK"


def begin(here):
    """Says that the program is watched and waits for it to import PyTorch.

    Processes started by a watched one find in the environment when the first
    of them began, and do not announce themselves again.
    """
    mark = os.environ.get(MARK)
    if not mark or not os.environ.get("SWEETSPOT_EVENTS"):
        return
    from . import events

    if mark == "1":
        os.environ[MARK] = repr(events.START)
        from . import machine

        events.emit("hello", **machine.hello())
    else:
        events.START = float(mark)
    from . import patches

    patches.when_imported(here)


def recording(on):
    """Pauses the watching, or takes it up again; for measuring what it costs."""
    recorder = sys.modules["sweetspot_hook.patches"].recorder
    if recorder is not None:
        recorder.pause(not on)
