"""The batch of the first step where no loader gave it, and its network computed more than once before.

It has micro-batches whose gradients the program adds up in a loop over a number of them:

    for micro_step in range(gradient_accumulation_steps):
        loss = model(x, y) / gradient_accumulation_steps
        loss.backward()
    optimizer.step()

Or a network that acts in a world, on a single state at a time, learns from a larger batch in the end.
"""

from . import loops


class Micro:
    """Computations of one network up to the first step, of batches that no loader gave."""

    def __init__(self, size, frames):
        """The second of them begins; the first was of so many samples."""
        self.size, self.calls = size, 1
        self.sizes = [size]  # that were one after the other
        nest = loops.nest(frames)
        loop, frame = nest[0] if nest else (None, None)
        self.rounds = loops.rounds(loop.iter, frame, loops.MOST_EPOCHS) if hasattr(loop, "iter") else None
        self.place = loop and _place(loop, frame)

    def add(self, size, alike):
        """Another one begins, of so many samples; alike is whether its batch has the shape of the first."""
        size = self.size if alike else size
        if size != self.sizes[-1] and len(self.sizes) < 3:
            self.sizes.append(size)
        self.calls = self.calls + 1 if alike else 0
        self.rounds = self.rounds if alike else None

    def batch(self, frames):
        """The samples of the step that these frames make; None if unknown."""
        if len(self.sizes) == 2 and None not in self.sizes and self.sizes[0] < self.sizes[1]:
            return self.sizes[1]  # it acted before
        within = any(_place(*of) == self.place for of in loops.nest(frames))
        return self.size * self.calls if self.rounds == self.calls and not within else None


def _place(loop, frame):
    return frame.f_code.co_filename, loop.lineno
