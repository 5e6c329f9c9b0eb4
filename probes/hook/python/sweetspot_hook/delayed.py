"""In which of its loops' rounds the program makes a step, where it waits for a number of them, or for data, before.

    for step in range(total):               for step in range(total):
        act()                                   act()
        if step > learning_starts:              if len(buffer) >= batch_size:
            train()                                 train()

The program's text is read, none of it is run.
"""

import ast
import bisect
import fractions

from . import evaluate, loops, syntax

LENGTHS = ("size", "qsize", "__len__")  # methods that tell how much is gathered
NEGATED = {ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Lt: ast.GtE, ast.LtE: ast.Gt}
MIRRORED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Lt: ast.Gt, ast.LtE: ast.GtE}


def share(frames, active, inner=None):
    """The share of the loops' rounds that make a step: 1 where none is passed over, None where that is unknown.

    Frames and loops with their frames are the innermost first. With a loop within these, and its frame, it is the
    share of rounds that come to this.
    """
    found = fractions.Fraction(1)
    for frame in frames[frames.index(inner[1]) if inner else 0 :] if active else ():
        own = [loop for loop, of in active if of is frame]
        if not syntax.is_library(frame):
            at = inner[0].lineno if inner and inner[1] is frame else frame.f_lineno
            outermost = own[-1] if frame is active[-1][1] else syntax.function(frame)
            for test, holds in _conditions(frame, outermost, at):
                part = _part(test, holds, frame, own)
                if part is None:
                    return None
                found *= part
        if frame is active[-1][1]:
            break
    return found


def _conditions(frame, outermost, at):
    """(test, whether it holds) of each comparison of two values under which a line of the frame is reached.

    They are looked for in this node.
    """
    around = syntax.around(frame)
    for node in around[around.index(outermost) :] if outermost in around else [outermost]:
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if not isinstance(block, list) or not any(s.lineno <= at <= s.end_lineno for s in block):
                continue
            if isinstance(node, ast.If):
                yield from _orders(node.test, block is node.body)
            for s in block:  # above it
                if s.end_lineno < at and isinstance(s, ast.If) and isinstance(s.body[-1], (ast.Return, ast.Continue)):
                    yield from _orders(s.test, False)


def _orders(test, holds):
    """Of a test those parts that compare two values by their order, or look at the size of a batch.

    They are those whose outcome the test's decides.
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for part in test.values:
            yield from _orders(part, holds)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and (type(test.ops[0]) in NEGATED or _of_batch(test)):
        yield test, holds


def _of_batch(test):
    """Whether it asks for the size of a tensor, such as of a last batch that is smaller and passed over."""
    return any(getattr(_measured(side), "attr", "") in ("size", "shape") for side in (test.left, test.comparators[0]))


def _measured(node):
    """The attribute that tells the size: x.size of x.size()[0], x.shape of x.shape[0]."""
    while isinstance(node, (ast.Subscript, ast.Call)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    return node


def _part(test, holds, frame, around):
    """The share of rounds of the loops around in which it holds; None if unknown, 1 of what counts nothing."""
    if _of_batch(test):
        return None
    kind, left, right = type(test.ops[0]), test.left, test.comparators[0]
    kind = kind if holds else NEGATED[kind]
    for loop in around:
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            name = loop.target.id
            if getattr(right, "id", "") == name:
                kind, left, right = MIRRORED[kind], right, left
            if getattr(left, "id", "") == name:
                return _share_of(loops.span(loop.iter, frame), kind, _number(right, frame))
    return None if any(_grows(side, frame, around) for side in (left, right)) else 1


def _share_of(over, kind, limit):
    """The share of the numbers of a range that are before or after a limit."""
    if not over or limit is None or over.step < 0:
        return None
    below = (bisect.bisect_right if kind in (ast.Gt, ast.LtE) else bisect.bisect_left)(over, limit)
    return fractions.Fraction(len(over) - below if kind in (ast.Gt, ast.GtE) else below, len(over))


def _number(node, frame):
    try:
        found = evaluate.value(node, lambda part: evaluate.plain(loops.lookup(part, frame)))
    except evaluate.Unknown:
        return None
    return found if type(found) in (int, float) else None


def _grows(node, frame, around):
    """Whether it is the length of what may be gathered in the loops, or a counter that they add to."""
    if isinstance(node, ast.Call):
        of = node.func.value if isinstance(node.func, ast.Attribute) else None
        if getattr(node.func, "id", "") == "len" and len(node.args) == 1:
            of = node.args[0]
        elif of is None or node.args or node.func.attr not in LENGTHS:
            return False
        found = loops.lookup(of, frame)  # a set of data or a loader keeps its length
        return not any(kind.__module__.partition(".")[0] == "torch" for kind in type(found).__mro__)
    added = (
        n.target for loop in around for n in ast.walk(loop)
        if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Add)
    )
    return any(ast.unparse(target) == ast.unparse(node) for target in added)
