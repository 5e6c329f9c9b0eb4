"""How many steps the program makes in a pass over its loader, where it makes one after every so many batches.

    for i, batch in enumerate(loader):                       for i, batch in enumerate(loader):
        loss(batch).backward()                                   loss(batch).backward()
        if (i + 1) % n == 0 or i == len(loader) - 1:             if i % n == 0:
            optimizer.step()                                         optimizer.step()

The program's text is read, none of it is run.
"""

import ast

from . import epochs, evaluate, loaders, loops, parts, repeats, steps, syntax

NAME = "num_update_steps_per_epoch"  # of Hugging Face's Trainer, and of their examples
MOST = 5000  # batches that are looked at; of more, one step makes no difference


def in_pass(frames, loader, batches):
    """The steps of a pass over the loader with this id, of so many batches; None if unknown.

    The frames are the innermost first. A break that the loop's numbers do not decide is taken to come at the end.
    """
    try:
        k, loop, frame = next(
            ((k, loop, frame) for k, (loop, frame) in enumerate(loops.nest(frames))
             if isinstance(loop, ast.For) and repeats.goes_over(loop.iter, frame, loader)), (None, None, None))
        found = _count(loop, frame, batches, _handed(frames, frame)) if k == 0 and batches <= MOST else None
        if found is None:
            found = epochs.by_name(frames, (NAME,), batches)
            if found == batches and any(map(parts.accumulates, frames)):
                return None  # it is that of the batches
        return found
    except Exception:  # a program may hold any object under any name
        return None


def _handed(frames, frame):
    """The conditions on the step that the frame hands over to what it calls, by name, and whether they hold there.

        scaler(loss, optimizer, update_grad=(i + 1) % n == 0)
    """
    k = frames.index(frame)
    called = frames[k - 1] if k > 0 else None
    given = {a.arg: a.value for n in syntax.around(frame) if isinstance(n, ast.Call) for a in n.keywords}
    return [
        (given[n.test.id], called.f_lineno <= n.body[-1].end_lineno)
        for n in (syntax.around(called) if called is not None and given else ())
        if isinstance(n, ast.If) and getattr(n.test, "id", None) in given
    ]


def _count(loop, frame, batches, handed):
    """The rounds of the loop that come to the frame's line, by the numbers that it gives them."""
    first, around = steps.first_number(loop, frame), [n for n in syntax.around(frame) if isinstance(n, ast.If)]
    if first is None or any(isinstance(n, ast.Continue) for n in ast.walk(loop)):
        return None
    number, at = loop.target.elts[0].id, frame.f_lineno
    tests = [(n.test, at <= n.body[-1].end_lineno) for n in around if n.lineno > loop.lineno]
    tests += handed
    if not any(number in syntax.names(test) for test, _ in tests):
        return None
    changing = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

    def get(node):
        called = getattr(node, "id", "")
        if called == number:
            return round_
        if called in changing:
            raise evaluate.Unknown
        found = _length(node, frame) if isinstance(node, ast.Call) else loops.lookup(node, frame)
        if found is None:
            raise evaluate.Unknown
        return evaluate.plain(found)

    found = 0
    try:
        for round_ in range(first, first + batches):
            found += all(bool(evaluate.value(test, get)) is holds for test, holds in tests)
    except evaluate.Unknown:
        return None
    return found or None


def _length(node, frame):
    """That of a loader or a list, from a call of len."""
    if getattr(node.func, "id", "") != "len" or len(node.args) != 1:
        return None
    found = loops.lookup(node.args[0], frame)
    return None if found is None else loaders.batches(found)
