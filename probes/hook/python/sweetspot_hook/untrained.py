"""Validations before the first step, as of what a network can do untrained.

Which network is trained is known at the first step only: until then those of all networks
are noted. Their time is part of the initialisation.
"""

import collections
import sys
import weakref
from time import perf_counter

from . import showing

MOST = 16  # passes at a time, and evaluations, that are remembered: a program may only evaluate


class Evaluation:
    """A network in evaluation mode, from its begin until training mode was asked for; host times."""

    def __init__(self, module):
        self.begin, self.end = perf_counter(), None
        # A wrapper may be gone by the first step, and another module in its place.
        self.parts = _parts(module)
        self.first, self.computed = None, 0  # the part that first computed, and how often it did
        self.gradients = False  # whether these were asked for, as where a program does not care
        self.passes = collections.deque(maxlen=MOST)  # over loaders
        self.used = []  # those of them that gave a batch before it last computed
        self.exhausted, self.seen, self.last = 0, None, None  # of them: how many, the last's samples, and when

    def is_of(self, watched):
        return any(m in watched and part() is not None for m, part in self.parts.items())

    def compute(self, module, gradients):
        self.gradients = self.gradients or gradients
        if self.first is None and id(module) in self.parts:
            self.first = id(module)
        if id(module) == self.first:
            self.computed, self.used = self.computed + 1, list(self.passes)

    def is_whole(self, blind):
        """Whether it was a validation: over a loader, or over more than one batch, for one only shows the network.

        A few batches of a loader that has an end are a check for mistakes.
        """
        if self.last is not None:
            return blind or self.computed > 0
        if any(p.length for p in (self.passes if blind else self.used)):
            return False
        return (self.computed > 1 and not self.gradients or blind and not self.passes) and self.end is not None

    def units(self):
        """Samples that it saw, or None. Of several loaders the result may be that of one."""
        return self.seen if self.exhausted == 1 else None


class Untrained:
    """The evaluations of all networks so far."""

    def __init__(self):
        self.inside = False  # a module is switching its parts
        self.blind = False  # computing is not seen
        self.open, self.closed = {}, collections.deque(maxlen=MOST)  # by the module's id; those that were whole

    def switch(self, module, training):
        """A module, and no part of one that does so, goes into or out of training mode."""
        e = self.open.get(id(module))
        if e is not None and e.parts[id(module)]() is not module:
            e = None
        if training and e is not None:
            del self.open[id(module)]
            e.end = perf_counter()
            if e.is_whole(self.blind):
                self.closed.append(e)
        elif not training and (e is None or not e.computed) and not showing.is_check(sys._getframe(1)):
            self.open[id(module)] = Evaluation(module)

    def computing(self, module, gradients):
        """A module is about to compute in evaluation mode, or without gradients."""
        for e in self.open.values():
            e.compute(module, gradients)

    def asked(self, a_pass):
        """A pass gave a batch."""
        for e in self.open.values():
            if a_pass not in e.passes:
                e.passes.append(a_pass)

    def exhausted(self, a_pass):
        for e in self.open.values():
            if a_pass in e.passes:
                e.exhausted, e.seen, e.last = e.exhausted + 1, a_pass.units, perf_counter()

    def validations(self, watched):
        """(begin, end, samples) of each validation of the network that has the watched modules."""
        found = []
        for e in (*self.closed, *self.open.values()):
            if e.is_whole(self.blind) and e.is_of(watched):
                begin, end = e.begin, e.last or e.end
                if not found or begin >= found[-1][1]:  # a wrapper's is that of what it wraps
                    found.append((begin, end, e.units()))
        return found


def _parts(module):
    """Weak references to a module and all within it, by their ids; what the program made of modules() is not asked."""
    found, left = {}, [module]
    while left:
        m = left.pop()
        if m is not None and id(m) not in found:
            found[id(m)] = weakref.ref(m)
            left += (m.__dict__.get("_modules") or {}).values()
    return found
