"""Trainings further down in the program's text than the one that it is in, and their epochs. None of it is run."""

import ast
import copy
import functools

from . import loops, schedule, syntax

TRAINERS = ("fit", "train", "learn")  # methods of libraries
LENGTHS = ("epochs", "n_epochs", "max_epochs", "validation_data", "total_timesteps")  # what they are given
STEPS = ("step", "backward")


def later(frames, nest):
    """(node, statements, frame) of each place below that trains again: by a call of what trains, or in such a loop.

    The statements are those that come after the training in its own block.
    """
    inner, library = None, False
    package = None  # of the library that has the training's loop
    looped = False  # the training's own loop is within
    counted = loops.epochs(nest)[0] is not None  # and is one over epochs, not as a rate finder's
    for frame in frames:
        if syntax.is_library(frame):
            library, looped = True, looped or any(of is frame for _, of in nest)
            package = package or looped and frame.f_globals["__name__"].partition(".")[0]
            continue
        own, scope = loops.active(frame), syntax.function(frame)
        looped_within, looped = looped, looped or bool(own)
        off = functools.partial(schedule.is_off, frame=frame, counts=_is_count)
        at = own[0] if own else leaf(scope.body, frame.f_lineno)
        if at is not None and looped:
            called, following = _calls([at], inner, library), below(scope.body, at)
            trainers = [name for name in _trainers(frame, called) if name != getattr(scope, "name", "")]
            steppers = _steppers(frame)
            for node in schedule.inside(following, off):
                again = looped_within and not own and _callee(node) in called
                trains = (own or counted) and _trains(node, called, steppers) and not _is_empty(node, frame)
                if again or trains or _calls_trainer(node, trainers):
                    yield node, following, frame
            if library and looped_within:
                call = leaf(scope.body, frame.f_lineno)
                made = {ast.unparse(n.func.value) for n in schedule.inside([call]) if _is_trainer(n)}
                after = below(scope.body, call)
                for node in _of_library(made, schedule.inside(after, off), frame, package):
                    if own or _callee(node) not in called:  # how long it trains may hang on what it is called on
                        told = any(k.arg == "epochs" for k in node.keywords)
                        yield node, after if told else (), frame
        inner, library = frame.f_code.co_name, False


def once_more(frames, nest):
    """As later, of a library's function that calls its own training once more, as fastai's fine_tune does."""
    looped = False
    for within, frame in zip(frames, frames[1:]):
        looped = looped or any(of is within for _, of in nest)
        name = within.f_code.co_name
        if not (looped and syntax.is_library(frame) and any(part in name for part in TRAINERS)):
            continue
        scope = syntax.function(frame)
        at = leaf(scope.body, frame.f_lineno)
        called = _calls([at], name, False) if isinstance(at, ast.Expr) else ()
        following = below(scope.body, at)
        for node in schedule.inside(following):
            if _callee(node) in called:
                yield node, [at, *following], frame


def _of_library(made, nodes, frame, package):
    """The calls of these nodes by which a library's object trains.

    It is made of those given by their text, or is of a class of the library's package.

        net.fit(x, y)
        search = GridSearchCV(net, rates)
        search.fit(x, y)
    """
    def is_of(node):
        return package in _packages(loops.lookup(node, frame)) or ast.unparse(node) in made

    def is_to_be(node):  # of an object that is not there yet
        return loops.lookup(node.func.value, frame) is None and any(k.arg in LENGTHS for k in node.keywords)

    def sets_mode(node):  # as a module's train() does
        return node.func.attr == "train" and "torch" in _packages(loops.lookup(node.func.value, frame))

    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            given = [node.value.func, *(n for a in (*node.value.args, *node.value.keywords) for n in ast.walk(a))]
            if any(is_of(n) for n in given if isinstance(n, (ast.Name, ast.Attribute))):
                made |= {ast.unparse(t) for t in node.targets}
        elif _is_trainer(node) and (is_of(node.func.value) or is_to_be(node)) and not sets_mode(node):
            yield node


def _is_trainer(node):
    """Whether it calls a method by which libraries train."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TRAINERS


def _packages(found):
    """Those that a class, or that of an object, is from with its bases."""
    return {kind.__module__.partition(".")[0] for kind in (found if isinstance(found, type) else type(found)).__mro__}


def epochs(later, block, frame, nest):
    """The epochs of such a place, a loop or a call of the function whose loop the program is in.

    Raises an error where they are unknown.
    """
    if not any(later in (s, getattr(s, "value", None)) for s in block):
        raise ValueError("it may be passed over")
    if block[0].lineno <= frame.f_lineno <= block[0].end_lineno:
        return _as_now(later, block, frame, loops.epochs(nest)[0])
    given = _of_fit(later, block, frame, nest[0][1])
    if "epochs" in given and syntax.is_library(nest[0][1]):
        n, at = (loops.value(given.get(k, ast.Constant(0)), frame) for k in ("epochs", "initial_epoch"))
        if any(_sets(block, given[k]) for k in ("epochs", "initial_epoch") if k in given):
            raise ValueError("it may be given another number by then")
        return n - at
    if isinstance(later, ast.For):
        if _sets(block, later.iter):
            raise ValueError("it may have another number by then")
        return loops.rounds(later.iter, frame, loops.MOST_EPOCHS)
    loop, of = next(
        (loop, of) for loop, of in nest if isinstance(loop, ast.For) and loops.rounds(loop.iter, of, loops.MOST_EPOCHS)
        and any("epoch" in w.lower() for w in syntax.names(loop.target) | syntax.names(loop.iter))
    )
    if schedule.name(later) != of.f_code.co_name or _is_of_the_next(later, of, frame):
        return _of_another(later, block, frame)
    if of.f_back is not frame:
        raise ValueError("the function has no such loop itself")
    given, n = _arguments(later, syntax.function(of)), loops.rounds(loop.iter, of, loops.MOST_EPOCHS)
    for name in syntax.names(loop.iter) & set(given):
        if _sets(block, given[name]):
            raise ValueError("it may be given another number by then")
        # As in range(1, epochs + 1).
        n += loops.value(given[name], frame) - loops.lookup(ast.Name(name, ast.Load()), of)
    return n


def _of_fit(call, block, frame, within):
    """The keyword arguments that fit gets by a call from this frame.

    It is one of fit itself, or of the program's function that is calling fit now. The frame within is the library's.
    """
    of = within
    while of.f_back is not None and of.f_back is not frame:
        of = of.f_back
    function = syntax.function(of)
    if syntax.is_library(of) or not isinstance(function, syntax.FUNCTIONS) or schedule.name(call) != function.name:
        return {k.arg: k.value for k in getattr(call, "keywords", ())}
    given, found, changes = _arguments(call, function), {}, _stored(function.body) | _stored(block)
    for k in (k for n in schedule.inside([leaf(function.body, of.f_lineno)]) if _is_trainer(n) for k in n.keywords):
        if getattr(k.value, "id", None) in given:
            found[k.arg] = given[k.value.id]
        elif not syntax.names(k.value) & changes:
            found[k.arg] = ast.copy_location(ast.Constant(loops.value(k.value, of)), call)
    return found


def _as_now(call, block, frame, n):
    """The epochs of one more call of the function that trains for n now, as once_more finds it: the same argument."""
    for now, then in zip(block[0].value.args, call.args):
        if loops.value(now, frame) == n and not _sets(block, then):
            return loops.value(then, frame)
    raise ValueError("none of the arguments is the number of epochs")


def _of_another(call, block, frame):
    """The epochs of a call of another function, whose loop may name its parameters; an error where they are unknown."""
    own, named = _functions(frame), _trainers(frame, ())[schedule.name(call)]
    function, loop = next((f for f in reversed(named) if f[0] in own and f[0].lineno < call.lineno), named[0])
    if function not in own:
        raise ValueError("the names in its loop are those of another module")
    given = _arguments(call, function)
    if any(_sets(block, given[name]) for name in syntax.names(loop.iter) & set(given)):
        raise ValueError("it may be given another number by then")

    class Given(ast.NodeTransformer):
        def visit_Name(self, node):
            return given.get(node.id, node)

    return loops.rounds(Given().visit(copy.deepcopy(loop.iter)), frame, loops.MOST_EPOCHS)


def _trainers(frame, called):
    """The functions of the module, or that it imports, that have a loop over epochs, with that, by their names.

    A module may have several of one name, the last of which comes last.
    """
    found, steppers = {}, _steppers(frame)
    own = _functions(frame)
    imported = [(name, f) for name, f in syntax.functions(frame).items() if f not in own]
    for name, function in [*imported, *((f.name, f) for f in own)]:
        loop = next((node for node in schedule.inside(function.body) if _trains(node, called, steppers)), None)
        if loop is not None:
            found.setdefault(name, []).append((function, loop))
    return found


def _is_of_the_next(call, of, frame):
    """Whether it calls another function of the name than this frame's, which the module defines in between."""
    begin = syntax.function(of).lineno
    return of.f_code.co_filename == frame.f_code.co_filename and any(
        f.name == of.f_code.co_name and begin < f.lineno < call.lineno for f in _functions(frame)
    )


def _functions(frame):
    return [node for node in syntax.tree(frame).body if isinstance(node, syntax.FUNCTIONS)]


def _steppers(frame):
    """The functions of the module that differentiate, by their names: a step may be one of a world."""
    return {
        f.name for f in _functions(frame)
        if any(isinstance(n, ast.Call) and schedule.name(n) == "backward" for n in schedule.inside(f.body))
    }


def _sets(block, node):
    """Whether these statements may give a name of the node another value before it."""
    return bool(_stored(block, node.lineno) & syntax.names(node))


def _stored(block, line=float("inf")):
    """The names that these statements give values, up to a line."""
    return {
        n.id for s in block for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno <= line
    }


def _arguments(call, function):
    """What a call gives a function's parameters, by their names."""
    names, defaults = [a.arg for a in function.args.args], function.args.defaults
    found = dict(zip(names[::-1], defaults[::-1]))
    if isinstance(call.func, ast.Attribute) and names[:1] == ["self"]:
        names = names[1:]
    found.update(zip(names, call.args))
    found.update((k.arg, k.value) for k in call.keywords)
    return found


def leaf(block, line):
    """The statement at a line that has none within."""
    found = None
    for node in (n for s in block for n in ast.walk(s)):
        if (
            isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno
            and (found is None or node.lineno >= found.lineno)
        ):
            found = node
    return found


def below(block, at):
    """The statements after this one, in the blocks that it is in."""
    for i, s in enumerate(block):
        if s is at:
            return block[i + 1 :]
        if s.lineno <= at.lineno <= s.end_lineno and at in ast.walk(s):  # a line may have several statements
            parts = [getattr(s, name, []) for name in ("body", "orelse", "finalbody")] + [
                h.body for h in getattr(s, "handlers", [])
            ]
            return [n for part in parts for n in below(part, at)] + block[i + 1 :]
    return []


def _callee(node):
    return ast.dump(node.func) if isinstance(node, ast.Call) else None


def _calls(nodes, inner, library):
    """What is called in these by the name of the function within, or by one of those that libraries train by."""
    return {_callee(n) for n in schedule.inside(nodes) if isinstance(n, ast.Call)
            and (schedule.name(n) == inner or library and schedule.name(n) in TRAINERS)}


def _calls_trainer(node, trainers):
    """Whether it calls one of the program's functions of these names."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in trainers


def _trains(node, called, steppers=()):
    """Whether a loop is one over epochs, with steps in it, maybe made by functions of these names."""
    if not isinstance(node, ast.For) or "epoch" not in (ast.dump(node.target) + ast.dump(node.iter)).lower():
        return False
    return any(
        isinstance(n, ast.Call)
        and (schedule.name(n) in STEPS or _callee(n) in called or getattr(n.func, "id", None) in steppers)
        for n in schedule.inside(node.body)
    )


def _is_empty(loop, frame):
    """Whether a loop has no rounds: for epoch in range(0)."""
    over = loops.span(loop.iter, frame)
    return over is not None and not over


def _is_count(node):
    return schedule.is_count(schedule.name(node))
