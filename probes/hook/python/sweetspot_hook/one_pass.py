"""Whether the program trains for one pass over its loader, and no more: no other loop is around its only one.

    for x, y in loader:
        train(x, y)

The program's text is read, none of it is run.
"""

import ast

from . import further, loops, schedule, syntax

SHOWN = ("enumerate", "tqdm", "track")  # what only numbers or shows a pass


def find(frames, loader):
    """1 where the loop over the loader with this id is the only one, and nothing trains below; None if unknown.

    The frames are the innermost first.
    """
    try:
        ((loop, frame),) = loops.nest(frames)
        own = [f for f in frames if not syntax.is_library(f)]
        alone = frame in own and len({f.f_code.co_filename for f in own}) == 1
        return 1 if alone and _is_pass(loop, frame, loader) and not _trains_besides(loop, frame, own) else None
    except Exception:  # there are none or several loops, and a program may hold any object under any name
        return None


def _is_pass(loop, frame, loader):
    """Whether a loop is one pass over this loader itself: what holds one may begin it again."""
    node = loop.iter if isinstance(loop, ast.For) else None
    while isinstance(node, ast.Call) and node.args and schedule.name(node) in SHOWN:
        node = node.args[0]
    found = loops.lookup(node, frame)
    return loader in (id(found), id(getattr(found, "__dict__", {}).get("iterable")))  # of a bar


def _trains_besides(loop, frame, own):
    """Whether the text computes gradients anywhere but in the loop and what it calls, or may train further down."""
    parts = [loop, *(syntax.function(f) for f in own[: own.index(frame)])]
    within = {id(n) for part in parts for n in ast.walk(part)}
    if any(schedule.name(n) == "backward" and id(n) not in within for n in _calls(syntax.tree(frame))):
        return True
    active = {f.f_code.co_name for f in own}
    for f in own[own.index(frame) :]:
        body = syntax.function(f).body
        at = loop if f is frame else further.leaf(body, f.f_lineno)
        called = [schedule.name(n) for s in further.below(body, at) for n in _calls(s)]
        if any(name in active or any(part in name.lower() for part in further.TRAINERS) for name in called):
            return True
    return False


def _calls(node):
    return [n for n in ast.walk(node) if isinstance(n, ast.Call)]
