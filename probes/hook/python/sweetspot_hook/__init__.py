"""Watches a training of PyTorch, Keras or JAX from inside its own process, without a change to it.

Works with PyTorch 1.13 and 2.x, Keras 3 and JAX. It never imports any of them itself, but wraps
what it watches once the program has imported it. The modules:

    events.py     writes the event lines
    imports.py    tells when the program has imported a module
    machine.py    what this machine is
    fit.py        Keras: what fit tells its callbacks
    fits.py       and how often it is called
    jit.py        JAX: which jitted function is the step
    jax_loops.py  how often what JAX's loops hold is done in a call
    jax_steps.py  and its calls, epochs and evaluations
    training.py   what Keras and JAX have counted becomes events
    follow.py     waits for the device in a thread of its own
    arrays.py     what arrays reveal about the data
    devices.py    JAX's devices
    epoch_loop.py the program's loop over epochs, followed
    patches.py    PyTorch: wraps optimizers, loaders and modules
    savers.py     and what writes checkpoints
    saved.py      and whether that is a network
    pipelines.py  or draws pictures
    recorder.py   turns the wrappers' calls into iterations
    log.py        a little later, many at once
    stepping.py   the steps of optimizers, and which of them end an iteration
    intervals.py  the time between two of them
    cycles.py     by the order in which several optimizers step
    gradients.py  and by the changed parameters where there is none
    compiled.py   leaves torch.compile undisturbed, and tells how long it took
    between.py    and what happens in between into pauses and validations
    delivered.py  and the batches that loaders give meanwhile
    data.py       which of these the steps use
    inputs.py     and what the network is given where no loader gives any
    showing.py    what is computed only to be looked at
    guard.py      keeps failures of the hook out of the program
    micro.py      batches that a step adds up without a loader
    losses.py     batches of networks that are no module
    loaders.py    one pass over a DataLoader, and facts from batches and loaders
    flops.py      operations, activations and layers of the first iteration
    work.py       whether the work of a step changes on a schedule
    schedule.py   where the program's text says so
    callbacks.py  or a callback of Lightning's does it
    sizes.py      how large it is when, where that is decidable
    rounds.py     by what the names hold in each round of a loop
    evaluate.py   and what expressions of numbers come to
    repeats.py    how often the program trains
    further.py    and whether it does so once more further down
    untrained.py  validations before the first step
    phases.py     validations: between eval() and train(), or over another loader
    clock.py      time on the host, and on a device without waiting for it
    graphs.py     steps that were captured in a CUDA graph
    facts.py      what is being trained: parameters, precision, GPUs
    objects.py    by the objects that the program has
    lengths.py    how long the program trains
    epochs.py     in epochs
    one_pass.py   that it trains for one alone, without a loop over epochs
    steps.py      or steps, where it counts these
    parts.py      that each is made of several batches
    delayed.py    or makes them in some rounds only
    pace.py       or by those of its first rounds
    remainders.py and in a pass, where it makes one after every so many batches
    loops.py      the loops that a step is in
    syntax.py     by the program's text
    language.py   how a language model is trained
    architecture.py  and its figures
    packages.py   what the program has imported
    ranks.py      which process of a data-parallel training this is
    model_parallel.py  and which share the network out
    control.py    the request to stop
    uncaught.py   the exception that ended the program
    ends.py       the end of a process of multiprocessing
"""

import os
import sys
from time import perf_counter

MARK = "SWEETSPOT_HOOK"


def begin(here):
    """Announces that the program is watched and waits for it to import a framework.

    Processes started by a watched one find the start time of the first in the
    environment, and do not announce themselves again.
    """
    mark = os.environ.get(MARK)
    if not mark or not os.environ.get("SWEETSPOT_EVENTS"):
        return
    entered = perf_counter()
    from . import events

    if mark == "1":
        os.environ[MARK] = repr(events.START)
        from . import machine

        events.emit("hello", **machine.hello())
    else:
        events.START = float(mark)
    import atexit

    from . import fit, jit, patches, uncaught

    atexit.register(events.flush)  # the first to be registered is the last to be called
    patches.when_imported(here)
    fit.when_imported(here)
    jit.when_imported(here)
    uncaught.begin()
    events.overhead += perf_counter() - entered


def recording(on):
    """Pauses or resumes recording, to measure its overhead."""
    torch, other = sys.modules["sweetspot_hook.patches"].recorder, sys.modules["sweetspot_hook.training"].current
    for recorder in (torch, other):
        if recorder is not None:
            recorder.pause(not on)
