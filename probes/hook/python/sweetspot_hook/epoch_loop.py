"""The program's loop over epochs, followed by its variable, where no loader tells when an epoch is over."""

import ast

from . import arrays, loaders, loops, parts

MOST_ENTRIES = 5000  # of a list that are looked at


def find(frames):
    """The loop that the frames, the innermost first, are in."""
    within, candidate = [], None
    # Whether the loops within count parts of steps, and not steps.
    in_parts = any(parts.accumulates(frame) or parts.waits(frame) for frame in frames)
    for frame in frames:
        for loop in reversed(loops.active(frame)):
            if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
                if "epoch" in loop.target.id.lower() or not within and loops.epochs([(loop, frame)])[0]:
                    return Epochs(frame, loop, within, in_parts)
                if within and candidate is None and loops.rounds(loop.iter, frame, loops.MOST_EPOCHS):
                    candidate = Epochs(frame, loop, within, in_parts)
            within = [*within, (frame, loop)]
    return candidate or Epochs(None, None, [], False)


LEFT = object()  # in place of the variable's value


class Epochs:
    """Counts steps and epochs. Without a loop all steps are of the first; within are the loops in it around a step."""

    def __init__(self, frame, loop, within, in_parts):
        self.code, self.name, self.lines = None, None, ()
        if loop is not None:
            self.code, self.name, self.lines = frame.f_code, loop.target.id, range(loop.lineno, loop.end_lineno + 1)
        self.epoch = self.index = 0  # of the coming step
        self.whole = self.steps = 0  # whole epochs, and the steps in them
        self.each = 1  # steps at a time
        self.latest = None if frame is None else self._read(frame)
        over = None if loop is None else loops.span(loop.iter, frame)
        self.rounds, self.last = (len(over), over[-1]) if over else (None, None)
        # The product of the rounds of several loops need not be the number of steps.
        self.length = _rounds(*within[0]) if len(within) == 1 and not in_parts else None
        if loop is not None and not within:
            self.length = 1
        self.cut = _cut(*within[0]) if len(within) == 1 and not in_parts else None
        # Whether the loop in it goes over a list or the like, and the samples of its entries.
        self.listed = self.length is not None and bool(within) and not _is_range(*within[0])
        self.samples = _samples(*within[0]) if self.listed else None
        # Its rounds, whatever a loader has.
        self.numbered = self.length is not None and bool(within) and _is_numbered(*within[0])
        # Whether the loop in it has its variable, as for _ in range(epochs): for _ in range(steps): has.
        self.shared = any(of is frame and getattr(inner.target, "id", "") == self.name for inner, of in _fors(within))
        if self.shared and not self.numbered:
            self.code = None

    def _read(self, frame):
        return loops.read(frame, lambda names: names.get(self.name))

    def has_turned(self, frame):
        """Before a step, asked once: whether it is the first of another epoch. The frame is one that it is made in.

        What is trained once the loop is over, as by the next one of the program, is no part of its last epoch.
        """
        if self.code is None:
            return False
        frame = loops.caller(frame, self.code)
        if frame is not None and frame.f_code is not self.code:
            return False  # too deep to tell
        value = self._read(frame) if frame is not None and frame.f_lineno in self.lines else LEFT
        if value is self.latest or value == self.latest:
            return False
        before, self.latest = self.latest, value
        return not self.shared or LEFT in (value, before) or value < before

    def is_left(self):
        """Whether the latest step was made outside of the loop."""
        return self.latest is LEFT

    def is_in_last(self):
        """Whether the latest step was made in its last round, and how many there are in each is unknown."""
        return self.rounds is not None and self.length is None and self.latest == self.last

    def turn(self):
        """The next step is the first of another epoch."""
        self.whole, self.steps = self.whole + 1, self.steps + self.index
        self.epoch, self.index = self.epoch + 1, 0

    def next(self):
        """After a step, or several at a time: returns its (epoch, index), that of the first."""
        self.index += self.each
        return self.epoch, self.index - self.each

    def per_epoch(self):
        """Steps of an epoch: as counted, else as the loop in it tells; None if unknown."""
        return self.steps / self.whole if self.whole else self.length and self.length * self.each


def _fors(within):
    return [(loop, frame) for frame, loop in within if isinstance(loop, ast.For)]


def _is_range(frame, loop):
    """Whether a loop goes over numbers."""
    return isinstance(loop, ast.For) and loops.rounds(_over(loop), frame, loops.MOST_EPOCHS) is not None


def _over(loop):
    """What a loop goes over, which it may number or show."""
    over = loop.iter
    while isinstance(over, ast.Call) and over.args and getattr(over.func, "id", "") in ("enumerate", "tqdm"):
        over = over.args[0]
    return over


def _is_numbered(frame, loop):
    """Whether a loop goes over numbers, to the last of them."""
    return _is_range(frame, loop) and not any(isinstance(n, (ast.Break, ast.Return)) for n in ast.walk(loop))


def _cut(frame, loop):
    """(samples, each) of a loop that goes over its data by parts, for i in range(0, len(data), each); or None.

    The samples are None where the last part may be left out.
    """
    over = loops.span(_over(loop), frame) if isinstance(loop, ast.For) else None
    calls = [n for n in ast.walk(loop.iter) if isinstance(n, ast.Call) and len(n.args) == 3] if over else []
    if len(calls) != 1 or over.start != 0 or over.step < 2:
        return None
    return None if isinstance(calls[0].args[1], ast.BinOp) else over.stop, over.step


def _rounds(frame, loop):
    """The rounds of a loop over a range, or over something that has a length."""
    return _length(_over(loop), frame) if isinstance(loop, ast.For) else None


def _samples(frame, loop):
    """The samples of the arrays in a list that a loop goes over, or of what has or holds a set; None if unknown."""
    over = _over(loop)
    while isinstance(over, ast.Call) and over.args:  # zip
        over = over.args[0]
    try:
        found = loops.lookup(over, frame)
        if type(found) not in (list, tuple):
            size = loaders.train_size(found)
            return _held(found) if size is None else size
        samples = [arrays.batch(entry)[0] for entry in found[:MOST_ENTRIES]]
    except Exception:  # of an object that raises at whatever it is asked
        return None
    return None if None in samples or len(found) > MOST_ENTRIES else sum(samples)


def _held(iterator):
    """The samples in a program's own iterator, which cuts what it holds into as many batches as it has."""
    each, batches = getattr(iterator, "batch_size", None), loaders.batches(iterator)
    if type(each) is not int or each < 2 or not batches:
        return None
    lengths = {len(held) for held in vars(iterator).values() if type(held) in (list, tuple) or arrays.shape_of(held)}
    fitting = {n for n in lengths if batches in (n // each, -(-n // each))}
    return fitting.pop() if len(fitting) == 1 else None


def _length(over, frame):
    if isinstance(over, ast.Call) and getattr(over.func, "id", "") == "zip" and over.args:
        each = [_length(part, frame) for part in over.args]
        return None if None in each else min(each)
    known = loops.rounds(over, frame, loops.MOST_EPOCHS)
    if known is None and isinstance(over, (ast.Name, ast.Attribute)):
        try:
            known = loaders.batches(loops.lookup(over, frame))
        except Exception:  # of an object that raises at whatever it is asked
            return None
    return known or None
