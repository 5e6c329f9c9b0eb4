"""Micro-batches of a step, whose gradients the program adds up in a loop over a number of them:

    for micro_step in range(gradient_accumulation_steps):
        loss = model(x, y) / gradient_accumulation_steps
        loss.backward()
    optimizer.step()
"""

from . import loops


class Micro:
    """Computations of one network in the first step, of batches that no loader gave."""

    def __init__(self, size, frames):
        """The second of them begins; the first was of so many samples."""
        self.size, self.calls = size, 1
        nest = loops.nest(frames)
        loop, frame = nest[0] if nest else (None, None)
        self.rounds = loops.rounds(loop.iter, frame, loops.MOST_EPOCHS) if hasattr(loop, "iter") else None
        self.place = loop and _place(loop, frame)

    def add(self, alike):
        """Another one begins; alike is whether its batch is as large as the first."""
        self.calls = self.calls + 1 if alike else 0
        self.rounds = self.rounds if alike else None

    def batch(self, frames):
        """The samples of the step that these frames make; None if unknown."""
        within = any(_place(*of) == self.place for of in loops.nest(frames))
        return self.size * self.calls if self.rounds == self.calls and not within else None


def _place(loop, frame):
    return frame.f_code.co_filename, loop.lineno
