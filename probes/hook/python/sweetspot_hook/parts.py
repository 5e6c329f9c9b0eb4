"""Whether the program makes a step after every so many batches only, its parts: its text asks for a remainder.

    if (i + 1) % accumulation == 0:         is_accumulating = (i + 1) % accumulation != 0
        optimizer.step()                    if not is_accumulating: optimizer.step()
"""

import ast

from . import loops, syntax


def accumulates(frame):
    """Whether the frame is within an if that asks for a remainder, as steps after every so many batches are.

    That of a division by one is not asked for: every batch has a step.
    """
    return any(asks(test, frame) for test in _tests(frame))


def waits(frame):
    """Whether the frame is within an if that asks for such a remainder by a name.

    Libraries do, whose limits are of steps all the same.
    """
    return bool(named(frame))


def named(frame):
    """Where those names get their values."""
    asked = {getattr(n, "id", None) for t in _tests(frame) for n in ast.walk(t)}
    return [
        n for n in ast.walk(syntax.function(frame))
        if isinstance(n, ast.Assign) and n.lineno <= frame.f_lineno and asks(n.value)
        and any(isinstance(t, ast.Name) and t.id in asked for t in n.targets)
    ]


def each(frames):
    """How many batches a step is made after, by the frames that it is in; None where they ask for no remainder."""
    for frame in frames:
        expressions = [*_tests(frame), *(n.value for n in named(frame))]
        for op in (op for e in expressions for op in ast.walk(e) if is_one(op) and isinstance(op, ast.BinOp)):
            n = loops.value(op.right, frame)
            if n:
                return n
    return None


def _tests(frame):
    """The conditions that the frame is within."""
    return [n.test for n in syntax.around(frame) if isinstance(n, ast.If)]


def asks(expression, frame=None):
    """Whether it has a remainder, of a division by more than one where a frame is given."""
    found = [op for op in ast.walk(expression) if is_one(op)]
    return any(frame is None or not isinstance(op, ast.BinOp) or loops.value(op.right, frame) != 1 for op in found)


def is_one(node):
    return isinstance(getattr(node, "op", None), ast.Mod) and not isinstance(getattr(node, "left", None), ast.Constant)
