"""How often the program trains: the loops around that of its epochs, and whether it trains once more further down.

    for fold, (train, test) in enumerate(kfold.split(x)):
        for epoch in range(epochs):
            ...

The program's text is read, none of it is run.
"""

import ast
import os
import types

from . import further, loops, schedule, syntax

MOST = 10000  # rounds

HELD = ("builtins", "numpy", "torch.nn.modules.container")  # where that is defined whose length is only looked up
SHOWN = ("enumerate", "tqdm", "track", "list", "sorted", "reversed")  # what goes over as many as it is given
CONSOLES = ("IPython", "ipykernel", "tornado", "zmq")  # go over the statements of the program

UNTOLD = "and how often is unknown"
OPEN = "it trains again and again, " + UNTOLD
FURTHER = "it trains again further down"
ALIKE = "the total assumes that all of its epochs take equally long"
SO_FAR = "only the epochs of the trainings so far are counted"


def around_library(nest):
    """The loops around those of a library that trains; of loops with their frames, the innermost first."""
    last = max((k for k, (_, frame) in enumerate(nest) if syntax.is_library(frame)), default=None)
    return nest[last + 1 :] if last is not None else ()


def around_pass(within, loader):
    """The loops of these, in one over epochs, that passes over the loader with this id are in; the innermost first."""
    k = _pass(within, loader)
    return within[k + 1 :] if k is not None else ()


def from_pass(nest, loader):
    """The loops from that over the loader with this id outwards; all where none is."""
    return nest[_pass(nest, loader) or 0 :]


def _pass(nest, loader):
    """The index of the loop over the loader with this id; None without one."""
    return next((
        k for k, (loop, frame) in enumerate(nest) if isinstance(loop, ast.For) and goes_over(loop.iter, frame, loader)
    ), None)


def goes_over(node, frame, loader):
    """Whether a loop over the node passes over the loader with this id."""
    if isinstance(node, ast.Call):
        return any(goes_over(part, frame, loader) for part in node.args)
    found = loops.lookup(node, frame)
    return found is not None and (id(found) == loader or loader in map(id, getattr(found, "__dict__", {}).values()))


def times(around, nest):
    """How often the loops around a training, or a pass, repeat it, where they tell that."""
    n = 1
    try:
        for loop, frame in _own(around):
            n *= _rounds(loop, frame, nest) or 1
    except Exception:  # a program may hold any object under any name
        return 1
    return n


def find(frames):
    """A sentence on trainings that come after this one, and their number of epochs.

    The sentence is None without any, and the number 0 if it is unknown.
    """
    try:
        nest = loops.nest(frames)
        n, around, _ = loops.epochs(nest)
        around = around if n is not None else around_library(nest)
        for loop, frame in _own(around):
            if _rounds(loop, frame, nest) is None:
                return in_rounds(loop), 0
        called = _called_back(frames) or _searched(nest)
        if called:
            return called, 0
        later = list(further.later(frames, nest)) or list(further.once_more(frames, nest))
    except Exception:  # a program may hold any object under any name
        return None, 0
    if not later:
        return None, 0
    try:
        known = n is not None and not around
        more = sum(further.epochs(node, block, frame, nest) for node, block, frame in later) if known else 0
    except Exception:
        more = 0
    node, _, frame = later[0]
    of = " of " + os.path.basename(frame.f_code.co_filename) if syntax.is_library(frame) else ""
    return "%s (line %d%s)" % (FURTHER, node.lineno, of), more


def in_rounds(loop):
    return "it trains again in each round of a loop (line %d), %s" % (loop.lineno, UNTOLD)


def _own(around):
    return [(loop, frame) for loop, frame in around if isinstance(loop, ast.For) and not syntax.is_library(frame)]


def _rounds(loop, frame, nest):
    """The rounds of a loop around a training; None if unknown, or if the training's own length may hang on them."""
    if isinstance(loop.body[-1], (ast.Break, ast.Return)):
        return 1
    names = syntax.names(loop.target)
    if _may_pass_over(loop, frame, names):
        return None
    for inner, of in nest:
        if inner is loop:
            break
        if of is frame and isinstance(inner, ast.For) and names & syntax.names(inner.iter):
            if "epoch" in ast.dump(inner.target).lower():
                return None
    return _extent(loop.iter, frame)


def _may_pass_over(loop, frame, names):
    """Whether a loop with variables of these names may end early, or do something else in some of its rounds."""
    around = [n for n in syntax.around(frame) if isinstance(n, ast.If) and n.lineno > loop.lineno]
    if any(names & syntax.names(n.test) for n in around):  # maybe in a loop within
        return True
    nodes = list(loop.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.Break, ast.Continue, ast.Return)):
            return True
        if isinstance(node, (ast.For, ast.While)):
            nodes += [n for n in ast.walk(node) if isinstance(n, ast.Return)]
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            nodes += ast.iter_child_nodes(node)
    return False


def _extent(node, frame):
    """How many rounds a loop over this has: a range, a list or what shows one, or the folds of a cross-validation."""
    n = loops.rounds(node, frame, MOST)
    if n is not None:
        return n
    if isinstance(node, (ast.List, ast.Tuple)):
        return None if any(isinstance(e, ast.Starred) for e in node.elts) else len(node.elts)
    if not isinstance(node, ast.Call):
        found = loops.lookup(node, frame)
        if isinstance(found, types.GeneratorType) and found.gi_frame is not None:
            return _splits(loops.read(found.gi_frame, lambda names: names.get("self")))
        return _length(found)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in SHOWN and node.args:
        return _extent(node.args[0], frame)
    if name == "zip":
        known = [_extent(a, frame) for a in node.args if not isinstance(a, ast.Starred)]
        for found in (loops.lookup(a.value, frame) for a in node.args if isinstance(a, ast.Starred)):
            known += map(_length, found) if type(found) in (list, tuple) else ()
        return min((n for n in known if n is not None), default=None)
    if isinstance(node.func, ast.Attribute) and name in ("items", "keys", "values"):
        return _length(loops.lookup(node.func.value, frame))
    if isinstance(node.func, ast.Attribute) and name == "split":
        return _splits(loops.lookup(node.func.value, frame))
    return None


def _splits(found):
    """How many folds something draws, as scikit-learn's do."""
    n = getattr(found, "__dict__", {}).get("n_splits")
    return n if isinstance(n, int) and not isinstance(n, bool) else None


def _length(found):
    return len(found) if type(found).__module__ in HELD and hasattr(type(found), "__len__") else None


def _called_back(frames):
    """A sentence on a library that trains in a loop of its own for a number that the program gives; None without one.

        study.optimize(objective, n_trials=20)
    """
    inner, library, looped = None, None, False
    for frame in frames:
        if syntax.is_library(frame):
            library = library or inner and loops.active(frame) and frame.f_globals["__name__"].partition(".")[0]
            continue
        if library and looped:
            for node in schedule.inside([further.leaf(syntax.function(frame).body, frame.f_lineno)]):
                if isinstance(node, ast.Call) and _gives(node, inner, frame):
                    return "%s trains again in each round of a loop of %s (line %d), %s" % (
                        inner, library, node.lineno, UNTOLD
                    )
        looped = looped or bool(loops.active(frame))
        inner, library = frame.f_code.co_name, None
    return None


def _searched(nest):
    """A sentence on a library's loop around another library's training, as scikit-learn's search; None without one."""
    trains = [frame.f_globals["__name__"].partition(".")[0] for _, frame in nest]
    for k, (loop, frame) in enumerate(nest):
        around = (
            k > 1 and trains[0] == trains[1] != trains[k]
            and syntax.is_installed(nest[0][1]) and syntax.is_installed(frame)
        )
        if around and isinstance(loop, ast.For) and trains[k] not in CONSOLES and _rounds(loop, frame, nest) != 1:
            return "it trains again in each round of a loop of %s, %s" % (trains[k], UNTOLD)
    return None


def _gives(call, function, frame):
    """Whether a call hands over a function of this name, and a number of more than one."""
    given = call.args + [k.value for k in call.keywords]
    return any(schedule.name(a) == function for a in given) and any((loops.value(a, frame) or 0) > 1 for a in given)
