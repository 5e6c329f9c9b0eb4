"""The batch of the first step where no loader gave it, and its network computed more than once before.

It has micro-batches whose gradients the program adds up in a loop over a number of them:

    for micro_step in range(gradient_accumulation_steps):
        loss = model(x, y) / gradient_accumulation_steps
        loss.backward()
    optimizer.step()

Or in a loop that goes on, with a step after every so many, if (i + 1) % n == 0. Or a network that acts in a world,
on a single state at a time, learns from a larger batch in the end. Or one and the same batch is computed again and
again, as for LBFGS, which asks for the loss many times in a step. Or it is computed word by word, each time with the
state that came of the word before.
"""

import weakref

from . import loops, parts


class Micro:
    """Computations of one network up to the first step, of batches that no loader gave."""

    def __init__(self, size, frames, given, backwards):
        """The second of them begins; the first was of so many samples, and given this after so many backward passes."""
        self.size, self.calls = size, 1
        self.given, self.again = given, True  # each was given the same so far
        self.recurs = True  # each later one was given what the network had computed
        self.backwards, self.adds_up = backwards, True  # each was differentiated before the next
        self.sizes, self.all = [size], 1  # that were one after the other, and how many computations
        nest = loops.nest(frames)
        loop, frame = nest[0] if nest else (None, None)
        self.rounds = loops.rounds(loop.iter, frame, loops.MOST_EPOCHS) if hasattr(loop, "iter") else None
        self.acting, self.acts = self.rounds, 1  # rounds of its loop, and computations that were given as much
        self.place = loop and _place(loop, frame)

    def add(self, size, alike, inputs, backwards):
        """Another one begins, of so many samples; alike is whether its batch has the shape of the first."""
        self.all += 1
        self.recurs = self.recurs and alike and any(map(_is_computed, inputs))
        self.adds_up, self.backwards = self.adds_up and backwards > self.backwards, backwards
        self.again = self.again and self.given() is not None and bool(inputs) and inputs[0] is self.given()
        size = self.size if alike else size
        self.acts += size == self.sizes[0]
        if size != self.sizes[-1] and len(self.sizes) < 3:
            self.sizes.append(size)
        self.calls = self.calls + 1 if alike else 0
        self.rounds = self.rounds if alike else None

    def has_acted(self):
        """Whether it learns from a larger batch than it computed before."""
        return len(self.sizes) == 2 and None not in self.sizes and self.sizes[0] < self.sizes[1]

    def has_played(self):
        """Whether it learns from all that it did before, as many rounds as there were, which may vary."""
        return self.has_acted() and self.acts == self.sizes[1] != self.acting

    def batch(self, frames):
        """The samples of the step that these frames make; None if unknown."""
        if self.has_acted():
            return self.sizes[1]
        if self.adds_up and len(self.sizes) == 1 and self.size and self.all == parts.each(frames):
            return self.size * self.all
        within = any(_place(*of) == self.place for of in loops.nest(frames))
        if self.rounds == self.calls and self.adds_up and not within:
            return self.size * self.calls
        return self.size if self.again or self.recurs else None


def first(inputs):
    """A weak reference to what is given first; to nothing where that takes none."""
    try:
        return weakref.ref(inputs[0])
    except (IndexError, TypeError):
        return lambda: None


def _is_computed(given):
    """Whether it is a result, or several, through which gradients flow, as the state of a recurrent network is."""
    parts = given if isinstance(given, (tuple, list)) else (given,)
    return any(getattr(part, "grad_fn", None) is not None for part in parts)


def _place(loop, frame):
    return frame.f_code.co_filename, loop.lineno
