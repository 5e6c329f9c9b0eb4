"""How large the work of a training's steps is, round by round: its text decides it, and their shapes tell what it is.

    size = 16 if epoch < 8 else 32    # and the network is given images of 3 x 16 x 16 now
"""

import ast
import re

from . import evaluate, loops, rounds

MOST = 128  # stretches of one size that are told

BATCHES = re.compile(r"(.*_)?(batch\w*|bs)(_.*)?", re.I)


class Size:
    """One number that the work hangs on."""

    def __init__(self, of, words, at, values):
        self.of, self.words, self.at, self.values = of, words, at, values


def find(frames, found, epochs, steps):
    """The sizes that the places found by schedule.read hang on, [] where none changes; None where that is unknown."""
    of = {place.of for place in found}
    if len(of) != 1 or any(not place.wanted for place in found):
        return None
    of, = of
    wanted = list({
        (place.frame, ast.unparse(node)): (place.frame, node) for place in found for node in place.wanted
    }.values())
    try:
        at, loop, over = _loop(frames, epochs if of == "epoch" else steps)
        seen = rounds.follow(frames, at, loop, over, wanted)
    except Exception:  # it is not decidable, or a program holds some odd object
        return None
    sizes = []
    for (_, node), values in zip(wanted, zip(*(values for _, values in seen))):
        values = [len(v) if type(v) in (range, list, tuple) else v for v in values]
        if any(type(v) not in (int, float) or not v > 0 for v in values):
            return None
        starts = [k for k, v in enumerate(values) if k == 0 or v != values[k - 1]]
        while len(starts) > MOST:
            starts = starts[::2]
        sizes.append(Size(of, ast.unparse(node), [seen[k][0] for k in starts], [values[k] for k in starts]))
    return [s for s in sizes if len(s.values) > 1]


def _loop(frames, n):
    """The outermost loop over a range of n: (index of its frame, loop, range)."""
    for k in reversed(range(len(frames))):
        for loop in loops.active(frames[k]):
            over = (
                loops.span(loop.iter, frames[k]) if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)
                else None
            )
            if over is not None and len(over) == n:
                return k, loop, over
    raise evaluate.Unknown


def told(sizes, batch, shape, samples, per_epoch):
    """The sizes as the model event has them; None where one is none of these.

    Given are a step's batch and shape, and what an epoch has.
    """
    known = {}
    for s in sizes:
        kind = _kind(s, batch, shape or (), samples)
        if kind is None or kind in ("batch", "samples") and (per_epoch is None or s.of != "epoch"):
            return None
        if known.setdefault(kind, s).values != s.values:
            return None
    return [
        {"of": kind, "per": s.of, "from": s.at, "sizes": s.values, "iterations": per_epoch}
        for kind, s in sorted(known.items())
    ]


def _kind(s, batch, shape, samples):
    """The size's kind: side of an image, length of a sequence, batch, or samples of an epoch; None for another."""
    first, batchy = s.values[0], BATCHES.fullmatch(s.words.rpartition(".")[2])
    if first == batch and (batchy or first not in shape):
        return "batch"
    if batchy:
        return None
    if len(shape) >= 2 and shape[-1] == shape[-2] == first:
        return "side"
    if len(shape) in (1, 2) and first in shape:
        return "length"
    return "samples" if first == samples else None


def hold(sizes, epoch, step, units, shape):
    """Whether a step of such units and shape has the sizes that were told of its epoch, or of it."""
    for s in sizes:
        at = epoch if s["per"] == "epoch" else step
        now = [v for start, v in zip(s["from"], s["sizes"]) if start <= at][-1]
        if s["of"] == "batch" and now != units or s["of"] in ("side", "length") and now not in shape:
            return False
    return True
