"""How often the program trains: the loops around that of its epochs, and whether it trains once more further down.

    for fold, (train, test) in enumerate(kfold.split(x)):
        for epoch in range(epochs):
            ...

The program's text is read, none of it is run.
"""

import ast
import functools
import os
import types

from . import loops, schedule, syntax

MOST = 10000  # rounds

HELD = ("builtins", "numpy", "torch.nn.modules.container")  # where that is defined whose length is only looked up
SHOWN = ("enumerate", "tqdm", "track", "list", "sorted", "reversed")  # what goes over as many as it is given
TRAINERS = ("fit", "train", "learn")  # methods of libraries
STEPS = ("step", "backward")
CONSOLES = ("IPython", "ipykernel", "tornado", "zmq")  # go over the statements of the program

UNTOLD = "and how often is unknown"
OPEN = "it trains again and again, " + UNTOLD
FURTHER = "it trains again further down"


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
                return "it trains again in each round of a loop (line %d), %s" % (loop.lineno, UNTOLD), 0
        called = _called_back(frames) or _searched(nest)
        if called:
            return called, 0
        later = list(_later(frames, nest)) or list(_once_more(frames, nest))
    except Exception:  # a program may hold any object under any name
        return None, 0
    if not later:
        return None, 0
    try:
        more = (
            sum(_epochs(node, block, frame, nest) for node, block, frame in later) if n is not None and not around
            else 0
        )
    except Exception:
        more = 0
    node, _, frame = later[0]
    of = " of " + os.path.basename(frame.f_code.co_filename) if syntax.is_library(frame) else ""
    return "%s (line %d%s)" % (FURTHER, node.lineno, of), more


def _own(around):
    return [(loop, frame) for loop, frame in around if isinstance(loop, ast.For) and not syntax.is_library(frame)]


def _rounds(loop, frame, nest):
    """The rounds of a loop around a training; None if unknown, or if the training's own length may hang on them."""
    if isinstance(loop.body[-1], (ast.Break, ast.Return)):
        return 1
    names = _names(loop.target)
    if _may_pass_over(loop, frame, names):
        return None
    for inner, of in nest:
        if inner is loop:
            break
        if of is frame and isinstance(inner, ast.For) and names & _names(inner.iter):
            if "epoch" in ast.dump(inner.target).lower():
                return None
    return _extent(loop.iter, frame)


def _may_pass_over(loop, frame, names):
    """Whether a loop with variables of these names may end early, or do something else in some of its rounds."""
    nodes = list(loop.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.Break, ast.Continue, ast.Return)):
            return True
        if isinstance(node, ast.If) and node.lineno <= frame.f_lineno <= node.end_lineno and names & _names(node.test):
            return True
        if isinstance(node, (ast.For, ast.While)):
            nodes += [n for n in ast.walk(node) if isinstance(n, ast.Return)]
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            nodes += ast.iter_child_nodes(node)
    return False


def _names(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


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


def _later(frames, nest):
    """(node, statements, frame) of each place below that trains again: by a call of what trains, or in such a loop.

    The statements are those that come after the training in its own block.
    """
    inner, library = None, False
    package = None  # of the library that has the training's loop
    looped = False  # the training's own loop is within
    for frame in frames:
        if syntax.is_library(frame):
            library, looped = True, looped or any(of is frame for _, of in nest)
            package = package or looped and frame.f_globals["__name__"].partition(".")[0]
            continue
        own, scope = loops.active(frame), syntax.function(frame)
        looped_within, looped = looped, looped or bool(own)
        off = functools.partial(schedule.is_off, frame=frame, counts=_is_count)
        at = own[0] if own else _leaf(scope.body, frame.f_lineno)
        if at is not None and looped:
            called, following = _calls([at], inner, library), _following(scope.body, at)
            for node in schedule.inside(following, off):
                again = looped_within and not own and _callee(node) in called
                if again or own and _trains(node, called):
                    yield node, following, frame
            if library and looped_within and not own:
                made = {ast.unparse(n.func.value) for n in schedule.inside([at]) if _is_trainer(n)}
                yield from (
                    (node, (), frame) for node in _of_library(made, schedule.inside(following, off), frame, package)
                )
        inner, library = frame.f_code.co_name, False


def _once_more(frames, nest):
    """As _later, of a library's function that calls its own training once more, as fastai's fine_tune does."""
    looped = False
    for within, frame in zip(frames, frames[1:]):
        looped = looped or any(of is within for _, of in nest)
        name = within.f_code.co_name
        if not (looped and syntax.is_library(frame) and any(part in name for part in TRAINERS)):
            continue
        scope = syntax.function(frame)
        at = _leaf(scope.body, frame.f_lineno)
        called = _calls([at], name, False) if isinstance(at, ast.Expr) else ()
        for node in schedule.inside(_following(scope.body, at)):
            if _callee(node) in called:
                yield node, (), frame


def _of_library(made, nodes, frame, package):
    """The calls of these nodes by which a library's object trains.

    It is made of those given by their text, or is of a class of the library's package.

        net.fit(x, y)
        search = GridSearchCV(net, rates)
        search.fit(x, y)
    """
    def is_of(node):
        packages = _packages(loops.lookup(node, frame))
        # A module's train() sets its mode.
        return "torch" not in packages and (package in packages or ast.unparse(node) in made)

    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            given = [node.value.func, *(n for a in (*node.value.args, *node.value.keywords) for n in ast.walk(a))]
            if any(is_of(n) for n in given if isinstance(n, (ast.Name, ast.Attribute))):
                made |= {ast.unparse(t) for t in node.targets}
        elif _is_trainer(node) and is_of(node.func.value):
            yield node


def _is_trainer(node):
    """Whether it calls a method by which libraries train."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TRAINERS


def _packages(found):
    """Those that a class, or that of an object, is from with its bases."""
    return {kind.__module__.partition(".")[0] for kind in (found if isinstance(found, type) else type(found)).__mro__}


def _epochs(later, block, frame, nest):
    """The epochs of such a place, a loop or a call of the function whose loop the program is in.

    Raises an error where they are unknown.
    """
    if not any(later in (s, getattr(s, "value", None)) for s in block):
        raise ValueError("it may be passed over")
    if isinstance(later, ast.For):
        if _sets(block, later.iter):
            raise ValueError("it may have another number by then")
        return loops.rounds(later.iter, frame, loops.MOST_EPOCHS)
    loop, of = next(
        (loop, of) for loop, of in nest if isinstance(loop, ast.For) and loops.rounds(loop.iter, of, loops.MOST_EPOCHS)
        and any("epoch" in w.lower() for w in _names(loop.target) | _names(loop.iter))
    )
    if of.f_back is not frame:
        raise ValueError("the function has no such loop itself")
    given, n = _arguments(later, syntax.function(of)), loops.rounds(loop.iter, of, loops.MOST_EPOCHS)
    for name in _names(loop.iter) & set(given):
        if _sets(block, given[name]):
            raise ValueError("it may be given another number by then")
        # As in range(1, epochs + 1).
        n += loops.value(given[name], frame) - loops.lookup(ast.Name(name, ast.Load()), of)
    return n


def _sets(block, node):
    """Whether these statements may give a name of the node another value before it."""
    stored = {
        n.id for s in block for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno <= node.lineno
    }
    return bool(stored & _names(node))


def _arguments(call, function):
    """What a call gives a function's parameters, by their names."""
    names, defaults = [a.arg for a in function.args.args], function.args.defaults
    found = dict(zip(names[::-1], defaults[::-1]))
    if isinstance(call.func, ast.Attribute) and names[:1] == ["self"]:
        names = names[1:]
    found.update(zip(names, call.args))
    found.update((k.arg, k.value) for k in call.keywords)
    return found


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
            for node in schedule.inside([_leaf(syntax.function(frame).body, frame.f_lineno)]):
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


def _is_count(node):
    return schedule.COUNTERS.fullmatch(schedule.name(node)) is not None


def _leaf(block, line):
    """The statement at a line that has none within."""
    found = None
    for node in (n for s in block for n in ast.walk(s)):
        if (
            isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno
            and (found is None or node.lineno >= found.lineno)
        ):
            found = node
    return found


def _following(block, at):
    """The statements after this one, in the blocks that it is in."""
    for i, s in enumerate(block):
        if s is at:
            return block[i + 1 :]
        if s.lineno <= at.lineno <= s.end_lineno and at in ast.walk(s):  # a line may have several statements
            parts = [getattr(s, name, []) for name in ("body", "orelse", "finalbody")] + [
                h.body for h in getattr(s, "handlers", [])
            ]
            return [n for part in parts for n in _following(part, at)] + block[i + 1 :]
    return []


def _callee(node):
    return ast.dump(node.func) if isinstance(node, ast.Call) else None


def _calls(nodes, inner, library):
    """What is called in these by the name of the function within, or by one of those that libraries train by."""
    return {_callee(n) for n in schedule.inside(nodes) if isinstance(n, ast.Call)
            and (schedule.name(n) == inner or library and schedule.name(n) in TRAINERS)}


def _trains(node, called):
    """Whether a loop is one over epochs, with steps in it."""
    if not isinstance(node, ast.For) or "epoch" not in (ast.dump(node.target) + ast.dump(node.iter)).lower():
        return False
    return any(
        isinstance(n, ast.Call) and (schedule.name(n) in STEPS or _callee(n) in called)
        for n in schedule.inside(node.body)
    )
