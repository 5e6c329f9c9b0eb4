"""How often the program calls fit, by the loops around its calls and by what comes after them. None of it is run.

    for epoch in range(1, epochs):
        model.fit(x, y, epochs=1)
        model.predict(...)
"""

import ast

from . import epochs, events, loops, repeats, syntax


class Calls:
    """The calls of fit so far."""

    def __init__(self):
        self.places = {}  # of each place that calls it: the epochs that it is known to train, and those begun
        self.last = None  # place
        self.more = 0  # epochs that it is known to train further down
        self.schedule = None  # on trainings that come after this one, in words
        self.further = False  # whether it was said that it trains again

    def begins(self, frame, n, done):
        """It is called for n epochs, from this frame, after so many were done."""
        if self.last:  # which may have stopped early
            short = sum(begun for _, begun in self.places.values()) - done
            self.places[self.last] = tuple(k - short for k in self.places[self.last])
        frames = epochs.frames_of(frame)
        own = [f for f in frames if not syntax.is_library(f)]
        place = tuple((f.f_code.co_filename, f.f_lineno) for f in own)
        known, begun = self.places.get(place, (0, 0))
        self.more, again = 0, None
        if not begun:
            known, again = self._look(frames, own, n)
        elif begun + n > known:
            again = repeats.OPEN
        self.places[place], self.last = (known, begun + n), place
        self._tell(again)
        syntax.forget()

    def epochs(self):
        """The epochs that it trains in all, as far as known."""
        return sum(map(max, self.places.values())) + self.more

    def _look(self, frames, own, n):
        """The epochs of all calls from this place, and a sentence if it is known to train more than these, or may."""
        nest = loops.nest(own)
        again, self.more = repeats.find(frames)
        loop = next((loop for loop, f in nest if _varies(loop, f)), None)
        if loop is not None:
            return n, repeats.in_rounds(loop)
        return n * repeats.times(nest, nest), again

    def _tell(self, again):
        self.schedule = again
        if again is not None and not self.further:
            self.further = True
            events.warn(again + "; " + (repeats.ALIKE if self.more else repeats.SO_FAR), ahead=True)


def _varies(loop, frame):
    """Whether a call in the loop is given a number of epochs that changes with its rounds, as by epochs=sizes[i].

    Not where it goes on from the one before: initial_epoch=i, epochs=i + 1.
    """
    if not isinstance(loop, ast.For):
        return False
    names = syntax.names(loop.target)
    for call in (n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Call)):
        given = {k.arg: k.value for k in call.keywords}
        if (
            call.lineno <= frame.f_lineno <= call.end_lineno and "epochs" in given and "initial_epoch" not in given
            and names & syntax.names(given["epochs"])
        ):
            return True
    return False
