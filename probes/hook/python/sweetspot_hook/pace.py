"""How many steps a program makes in all, by those of its first rounds, where no loop around a step counts them.

    for iteration in range(n):              while self.frames < total_frames:
        rollout()                               self.rollout()
        for epoch in range(4):                  for batch in buffer.sample():
            for batch in split(rollout):            step(batch)
                step(batch)

The rounds of the outermost loop are known. Where each makes as many steps as the one before, so will the rest.
"""

import ast

from . import loops, parts

FEWEST = 10  # steps in rounds alike before more such are expected


def find(frames, done):
    """The outermost loop that the frames, the innermost first, are in; None where its rounds are not known.

    The coming step is that after so many.
    """
    nest = loops.nest(frames)
    if not nest or not all(isinstance(loop, ast.For) for loop, _ in nest[:-1]):
        return None  # a loop within may be over at any time
    loop, frame = nest[-1]
    if isinstance(loop, ast.For):
        over = loops.span(loop.iter, frame)
        return _begun(frame, loop, loop.target, over, done) if over and isinstance(loop.target, ast.Name) else None
    test = loop.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Lt, ast.LtE)):
        return None
    end = loops.value(test.comparators[0], frame)
    if end is None or len(test.ops) > 1:
        return None
    # What is done whenever a count is a multiple of a number is done with the last such up to the end.
    beyond = isinstance(test.ops[0], ast.LtE) and not any(map(parts.accumulates, frames))
    return _begun(frame, loop, test.left, range(end + beyond), done)


def _begun(frame, loop, counter, over, done):
    pace = Pace(frame, loop, counter, over)
    value = pace.read(frame)
    if value is None:
        return None
    pace.turned(value, done)
    return pace


class Pace:
    """Follows a loop by its counter, an expression, over these numbers."""

    def __init__(self, frame, loop, counter, over):
        self.code, self.lines = frame.f_code, range(loop.lineno, loop.end_lineno + 1)
        self.counter, self.over, self.numbered = counter, over, isinstance(loop, ast.For)
        self.latest = None  # the counter's value
        self.before = None  # (rounds, steps) before the latest round that made any
        self.each = None  # (rounds, steps) from one such to the next; False where they differ
        self.alike = 0  # steps in such rounds
        self.ahead = False  # whether the counter counts the round that it is in
        self.counted = False  # whether its rounds were taken for the steps: they may have several each

    def rounds(self):
        return len(self.over) if self.numbered else None

    def has_several(self):
        """Whether each round makes more than one step."""
        return bool(self.each) and self.each[0] == 1 < self.each[1]

    def read(self, frame):
        """Before a step, in this frame: the counter's value where another round has begun, else None."""
        frame = loops.caller(frame, self.code)
        if frame is None or frame.f_code is not self.code or frame.f_lineno not in self.lines:
            return None
        value = loops.value(self.counter, frame)
        before, self.latest = self.latest, value
        return None if value == before else value

    def turned(self, value, done):
        """A round of this value begins, after so many steps.

        Returns the number of all steps: None if it is not known yet, 0 where rounds make as many as they like.
        """
        if self.numbered:
            value = (value - self.over.start) // self.over.step
        before, self.before = self.before, (value, done)
        if before is None:
            self.ahead = not self.numbered and value > 0
            return None
        each = value - before[0], done - before[1]
        if self.each not in (None, each) or min(each) < 1:
            self.each = False
        if self.each is False:
            return 0
        self.each, self.alike = each, self.alike + each[1]
        if self.alike < FEWEST:
            return None
        left = len(self.over) - value + self.ahead * each[0]
        return done + -(-left // each[0]) * each[1]
