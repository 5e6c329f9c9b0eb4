"""A training whose steps other modules count: those of Keras and JAX.

As in recorder.py an iteration lasts from the end of one step to the end of the next, less the
validations and checkpoints in between. Times are those at which the device was done.
"""

import atexit
import os
import sys
from _thread import get_ident
from time import perf_counter

from . import control, epochs, events, follow, guard, packages, ranks, savers
from .ends import when_ended
from .guard import guarded

# What is known of the result of an evaluation.
EVALUATION = dict(metric=None, value=None, units=None)

# Steps that a rank's host may be before its device: what JAX allows.
AHEAD = 32

current = None  # the one that is watched
ends = []  # to be called at the end of the program


class Stop(SystemExit):
    """Ends the program at a step boundary, as if it had ended by itself."""


def claim(here, framework):
    """The training to report to, or None if another framework's is watched.

    What Keras trains, PyTorch or JAX computes: the outer of two frameworks is asked first.
    """
    global current
    torch = getattr(sys.modules.get(__package__ + ".patches"), "recorder", None)
    if current is None and (torch is None or torch.count == 0):
        if torch is not None:
            torch.off = True
            torch.flops.give_up()
        current = Training(here, framework)
        atexit.register(end)  # after the framework did, and so before what that does
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_after_fork)
    return current if current is not None and current.framework == framework else None


def _after_fork():
    """A forked process does not train."""
    current.off = True


def end():
    """At the end of the program."""
    for call in ends:
        call()
    if current is not None:
        current.finish()


class Training:
    def __init__(self, here, framework):
        self.here, self.framework = here, framework
        self.off = self.paused = False
        self.count = 0  # iterations done
        self.rank, self.world = 0, 1
        self.owner = get_ident()
        self.control = control.Control()
        self.most = control.most_steps()
        self.follower = follow.Follower(self.give_up)
        self.told = None  # the last model event
        self.mark = self.lost = 0.0  # end of the last step, and what happened since that is no part of the next

    def give_up(self, err):
        """The program goes on without being watched."""
        if self.off:
            return
        self.off = True
        events.warn("the training is no longer watched: " + guard.words(err), unwatched=True)
        self.control.leave()

    def idle(self):
        """Whether what happens now is not to be recorded."""
        return self.off or self.paused or self.owner != get_ident()

    @guarded
    def begin(self, start, calls, facts, entered):
        """The first steps were called: calls are (end, place of the first, steps, units, evaluation) each.

        An evaluation is (begin, end) of what followed them, or None. facts() are the fields of the
        hello and of the model.
        """
        number, before = ranks.claim(self.here, self.rank)
        if number is None:
            self.off = True
            return events.warn("another process trains as rank %d and is not measured" % self.rank)
        start = self.mark = min(start, calls[0][0])
        if before is not None and events.START < before:
            events.START = events.OWN  # it is that of a program which trained in another process before
        events.training(self.rank, number)
        hello, model = facts()
        self.control.watch()
        when_ended(end)
        events.emit("hello", rank=self.rank, **hello)
        events.emit("init", rank=self.rank, seconds=round(max(0.0, events.at(start)), 6))
        self.describe(**model)
        for at, place, steps, units, evaluation in calls:
            self._step(at, place, steps, units, None)
            self.count += steps
            if evaluation is not None:
                self._interruption("validation", *evaluation, dict(EVALUATION, epoch=place[0]))
        packages.tell(self.rank)
        self.mark = perf_counter()  # what it took to report since it was entered belongs to no iteration
        events.overhead += self.mark - entered

    @guarded
    def step(self, result, place, steps, units, waited, at=None):
        """Further steps were called, with these units altogether; result is theirs, as for a Follower.

        They ended at the time, if it is known.
        """
        self.count += steps
        self.follower.add(result, lambda now: self._step(at or now, place, steps, units, waited))

    def _step(self, at, place, steps, units, waited):
        seconds, t = max(at - self.mark - self.lost, 0.0), events.at(at)
        self.mark, self.lost = at, 0.0
        waited = None if waited is None else min(waited, seconds)
        for i in range(steps):  # each of several gets its share of their time
            events.iteration(
                t - (steps - 1 - i) * seconds / steps, self.rank, (place[0], place[1] + i), seconds / steps,
                None if units is None else units / steps, None if waited is None else waited / steps)

    def stop_if_asked(self):
        """Ends the program if that was asked for: call it where no step is left half done."""
        if self.off:
            return
        try:
            enough = self.most and self.count >= self.most
            stop = enough or self.control.stop_after(self.count, self.rank, self.world, AHEAD)
            if stop:
                self.finish()
        except Exception as err:
            return self.give_up(err)
        if stop:
            raise Stop(0)

    @guarded
    def interruption(self, event, begin, end, result=None, **fields):
        """Something else was done between two steps, from begin until its result or, without one, end.

        Begin and end are times of the host's clock.
        """
        self.follower.add(result, lambda at: self._interruption(event, begin, end if result is None else at, fields))

    @guarded
    def checkpoint(self, frame):
        """The kind of one that is about to be written from this frame. To find it out belongs to no iteration."""
        begin = perf_counter()
        kind = savers.kind(epochs.frames_of(frame))
        seconds = perf_counter() - begin
        events.overhead += seconds
        self.follower.add(None, lambda _: self._lose(seconds))
        return kind

    def _lose(self, seconds):
        self.lost += seconds

    def _interruption(self, event, begin, end, fields):
        seconds = max(0.0, end - max(begin, self.mark))
        self.lost += seconds
        if self.rank == 0:
            events.emit(event, **dict(fields, t=round(events.at(end), 6), seconds=round(seconds, 9)))

    @guarded
    def untrained(self, begin, end):
        """Reports an evaluation before the first step, whose time is in the initialisation."""
        if self.rank == 0:
            t, seconds = round(events.at(end), 6), round(end - begin, 9)
            events.emit("validation", epoch=0, t=t, seconds=seconds, untrained=True, **EVALUATION)

    @guarded
    def describe(self, **fields):
        """Sends the model event if it says something new. All ranks have the same model."""
        if self.rank == 0 and fields != self.told:
            self.told = fields
            events.emit("model", **fields)

    def pause(self, on):
        """Stops recording, or begins again as if nothing had happened since the last step."""
        if self.paused and not on:
            self.follower.flush()
            self.mark, self.lost = perf_counter(), 0.0
        self.paused = on

    @guarded
    def finish(self):
        """Reports what is left to report."""
        if not self.off:
            self.off = True
            self.follower.flush()
            events.tell_overhead(self.rank)
