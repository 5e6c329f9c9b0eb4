"""How many steps the program will train, where it counts these: from the loops around the step, or from usual names.

    for step in range(args.max_steps):       while step < total:       for step, batch in enumerate(stream):
        ...                                      ...                       if step >= total: break

A name alone is trusted only where it can mean nothing else: num_steps may be those of a rollout.
The program's text is read, none of it is run.
"""

import ast

from . import delayed, epochs, evaluate, loops, parts, repeats, schedule, syntax

NAMES = (
    "max_steps", "max_train_steps", "num_train_steps", "num_training_steps", "total_steps", "total_train_steps",
    "total_training_steps", "train_steps", "train_num_steps", "max_iters", "max_iterations", "total_iters",
    "total_iterations", "num_iterations", "num_iters", "n_iters", "train_iters", "max_updates", "MAX_STEPS",
    "TOTAL_STEPS", "NUM_TRAIN_STEPS", "MAX_ITERS", "MAX_ITER",
)
OF_STEPS = tuple(name for name in NAMES if "step" in name.lower())  # not of batches, of which several may make a step
SHORT = ("--steps", "--iters", "--iterations")  # may be those of a solver, too

MOST = 10**9
MOST_ROUNDS = 10000  # of a loop that are looked at for a break

COUNTERS = ("step", "iter", "itr")  # in the name of what counts steps
OTHERS = ("timestep", "time_step", "env", "frame")  # and of what counts those of a simulated world


def find(frames, arguments):
    """The number of steps, from the active frames, the innermost first, and the arguments; None if unknown."""
    names = NAMES
    try:
        active = loops.nest(frames)
        if loops.are_parts(active):
            return None  # steps are parts of the loop's rounds
        if any(parts.accumulates(frame) for frame in frames):  # the loop's rounds are parts of steps
            return by_counter(active, set().union(*map(_counted_beside, frames)))
        share = delayed.share(frames, active)
        if share is None:
            return None
        if any(parts.waits(frame) for frame in frames):
            n, names = by_parts(active, frames), OF_STEPS
        else:
            n = by_loop(active)
            if n is not None and share != 1:
                return whole(int(n * share))
        done = counters(frames)
        names = tuple(name for name in names if name not in done)
    except Exception:  # a program may hold any object under any name
        n = None
    if n is None:
        n = epochs.by_name(frames, names, MOST) or epochs.in_arguments(arguments, options(names), MOST)
    if n is None:
        n = epochs.in_arguments(arguments, SHORT, MOST)
        n = None if n and epochs.counted(frames) else n
    return n


def in_doubt(frames):
    """Whether loops count steps, and some of their rounds make none, it is unknown how many."""
    try:
        active = loops.nest(frames)
        return delayed.share(frames, active) is None and by_loop(active) is not None
    except Exception:  # a program may hold any object under any name
        return False


def counters(frames):
    """The names of what is added to in the frames' outermost loops, or in their functions.

    They count what is done, and are no limit.
    """
    bodies = [(loops.active(f) or [syntax.function(f)])[0] for f in frames]
    added = [
        n.target for body in bodies if not isinstance(body, ast.Module)
        for n in ast.walk(body) if isinstance(n, ast.AugAssign)
    ]
    return {getattr(t, "attr", getattr(t, "id", "")) for t in added}


def calls(frames, each):
    """The steps of calls that make so many each, where a loop over these tells how many there are."""
    try:
        n = by_loop(loops.nest(frames))
    except Exception:  # a program may hold any object under any name
        return None
    return n and whole(n * each)


def of_pass(frames, loader):
    """The batches to which the program cuts each pass over the loader with this id; None without a cut, or if unknown.

        for i, batch in enumerate(loader):      for batch in islice(loader, n):
            if i >= n: break                        ...
    """
    try:
        for loop, frame in loops.nest(frames):
            if isinstance(loop, ast.For) and repeats.goes_over(loop.iter, frame, loader):
                known = [n for n in (rounds_of(loop.iter, frame), *_broken_off(loop, frame)) if n]
                return min(known, default=None)
    except Exception:  # a program may hold any object under any name
        pass
    return None


def _broken_off(loop, frame):
    """The rounds after which each break of a loop ends it, as far as the loop's numbers of its rounds decide that."""
    first, number = first_number(loop, frame), loop.target.elts[0].id if isinstance(loop.target, ast.Tuple) else ""
    changing = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

    def get(node):
        called = getattr(node, "id", "")
        if called != number and called in changing:
            raise evaluate.Unknown
        return round_ if called == number else evaluate.plain(loops.lookup(node, frame))

    for line, tests in _breaks(loop.body, []) if first is not None else ():
        numbered = any(getattr(n, "id", "") == number for test in tests for n in ast.walk(test))
        for round_ in range(first, first + (MOST_ROUNDS if numbered else 1)):
            try:
                ends = all(evaluate.value(test, get) for test in tests)
            except evaluate.Unknown:
                break
            if ends:
                yield round_ - first + (line > frame.f_lineno)
                break


def _ends(statement):
    """Whether it ends the loop that it is in, or the program."""
    call = statement.value if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    return (
        isinstance(statement, (ast.Break, ast.Return))
        or call is not None and schedule.name(call) in ("exit", "quit")
    )


def _breaks(statements, tests):
    """(line, tests) of each break or return that ends the loop of these statements: it does where all tests hold."""
    for s in statements:
        if isinstance(s, (ast.Break, ast.Return)):
            yield s.lineno, tests
        elif isinstance(s, ast.If):
            yield from _breaks(s.body, [*tests, s.test])


def first_number(loop, frame):
    """The number that a loop gives its first round; None where it does not number its rounds itself, or if unknown."""
    over = loop.iter if isinstance(loop, ast.For) else None
    while getattr(getattr(over, "func", None), "id", "") in ("tqdm", "track") and over.args:
        over = over.args[0]
    if getattr(getattr(over, "func", None), "id", "") != "enumerate":
        return None
    begin = [*over.args[1:], *(k.value for k in over.keywords if k.arg == "start"), ast.Constant(0)][0]
    first = loops.value(begin, frame)
    return first if first in (0, 1) else None


def options(names):
    return tuple("--" + name.replace("_", mark) for name in names if name.islower() for mark in "_-")


def by_loop(active):
    """The rounds of the loops that the step is in, the innermost first; None if unknown or counted in epochs."""
    for k, (loop, frame) in enumerate(active):
        n = bound(loop, frame, [outer for outer, of in active[k + 1 :] if of is frame])
        if n is not None:
            rounds = rounds_of(loop.iter, frame) if len(active) == 1 and isinstance(loop, ast.For) else None
            return min(n, rounds or n)
    return product(active)


def by_counter(active, counters):
    """The count at which the loops that the step is in end, of one of these counters; None if unknown."""
    found = (bound(loop, frame, [o for o, of in active[k + 1 :] if of is frame], counters)
             for k, (loop, frame) in enumerate(active))
    return next((n for n in found if n is not None), None)


def by_parts(active, frames):
    """The steps of loops that count their parts to a number, where every so many make one; None if unknown.

        if state["iter_num"] >= max_iters: break
        is_accumulating = (state["iter_num"] + 1) % accumulation != 0
    """
    for frame in frames:
        for op in (op for n in parts.named(frame) for op in ast.walk(n.value) if parts.is_one(op)):
            left = op.left.left if isinstance(op.left, ast.BinOp) else op.left
            n, each = by_counter(active, {ast.unparse(left)}), loops.value(op.right, frame)
            if n and each:
                return whole(n // each)
    return None


def _counted_beside(frame):
    """What is added to where the frame is within an if that asks for a remainder, which counts as the step does."""
    around = [n for n in syntax.around(frame) if isinstance(n, ast.If) and parts.asks(n.test)]
    return {ast.unparse(s.target) for n in around for s in n.body if isinstance(s, ast.AugAssign)}


def multiplied(frames):
    """Whether the number is the product of several loops' rounds: the outermost may make other steps besides."""
    try:
        active = loops.nest(frames)
        return len(active) > 1 and by_loop(active) == product(active) is not None
    except Exception:  # a program may hold any object under any name
        return False


def product(active):
    """That of the rounds of all loops; None if unknown or counted in epochs."""
    total = 1
    for loop, frame in active:
        rounds = None
        if isinstance(loop, ast.For) and (
            loops.goes_over_steps(loop) or "epoch" not in (ast.dump(loop.target) + ast.dump(loop.iter)).lower()
        ):
            rounds = rounds_of(loop.iter, frame)
        if rounds is None:
            return None
        total *= rounds
    return whole(total) if active else None


def bound(loop, frame, outer, counters=None):
    """Where a loop within these ends by a count of steps: while step < n, or if step >= n: break; None otherwise.

    If counters are given, the count is of one of these.
    """
    if isinstance(loop, ast.While):
        n = compared(loop.test, frame, (ast.Lt, ast.LtE), loop, outer, counters)
        if n is not None:
            return n
    for statement in loop.body:
        if isinstance(statement, ast.If) and any(map(_ends, statement.body)):
            test = _spelled_out(statement.test, loop)
            n = compared(test, frame, (ast.Gt, ast.GtE, ast.Eq), loop, outer, counters)
            if n is not None:
                return n + rounds_more(statement, test, frame, loop)
    return None


def _spelled_out(test, loop):
    """What a condition is that the loop gave a name before: last = step == n."""
    sets = [n for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            and n.id == getattr(test, "id", None)]
    found = [s.value for s in loop.body if isinstance(s, ast.Assign) and s.targets == sets]
    return found[0] if found else test


def rounds_more(statement, test, frame, loop):
    """Those beyond the number that a loop ends at: it numbers its rounds itself, and looks at the number after a step.

        for step, batch in enumerate(stream):
            train(batch)
            if step >= total - 1: break
    """
    if statement.lineno <= frame.f_lineno or not isinstance(test, ast.Compare):
        return 0
    left, _ = _counter(test.left, frame, loop)
    own = isinstance(loop, ast.For) and any(
        getattr(n, "id", None) == getattr(left, "id", "") for n in ast.walk(loop.target)
    )
    first = first_number(loop, frame) if own else _of_first(left, statement, loop, frame)
    if first is None:
        return 0
    beyond = isinstance(test.ops[0], ast.Gt)
    counted = beyond and loops.value(left, frame) == 0  # as compared has it
    return 1 - first + beyond - counted


def _of_first(counter, statement, loop, frame):
    """The number of the first step, where a loop gives each its own before it, or after this statement; else None.

        for i, batch in enumerate(loader):              while True:
            iteration = epoch * len(loader) + i             train(next(batches))
            train(batch)                                    if step == most: break
            if iteration >= most: break                     step += 1
    """
    sets = [
        n for n in ast.walk(loop) if isinstance(n, (ast.Assign, ast.AugAssign))
        for t in (n.targets if isinstance(n, ast.Assign) else [n.target]) if ast.unparse(t) == ast.unparse(counter)
    ]
    if any(n.lineno < statement.lineno if isinstance(n, ast.AugAssign) else n.lineno > frame.f_lineno for n in sets):
        return None
    first = loops.value(counter, frame) if sets else None
    return first if first in (0, 1) else None


def compared(test, frame, ways, loop, outer, counters=None):
    """The rounds after which a counter of steps that began before the outermost loop passes a number."""
    if isinstance(test, ast.BoolOp):
        found = (compared(part, frame, ways, loop, outer, counters) for part in test.values)
        return next((n for n in found if n is not None), None)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ways):
        return None
    left, right = test.left, test.comparators[0]
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):  # step % n == 0, which n is the first to be
        if outer or isinstance(loop, ast.For) or loops.value(right, frame) != 0:
            return None
        left, right = left.left, left.right
    counter, done = _counter(left, frame, loop)
    name = _name(counter)
    if not counts(name) and not (len(name) == 1 and counts(ast.unparse(right))):
        return None
    if outer and begins_again(name, loop, outer):
        return None
    if counters is not None and ast.unparse(counter) not in counters:
        return None
    n = loops.value(right, frame)
    if n is None:
        return None
    if isinstance(test.ops[0], (ast.Gt, ast.LtE)) and loops.value(test.left, frame) == 0:
        n += 1  # it counts from 0, and the number is the last one
    return whole(n - done)


def _name(counter):
    """What a counter is called, as a name, an attribute or an entry."""
    key = getattr(getattr(counter, "slice", None), "value", None)
    return key if isinstance(key, str) else getattr(counter, "attr", getattr(counter, "id", ""))


def _counter(node, frame, loop):
    """What is counted in a loop, and what was done before: step + start, of a training that may have been resumed."""
    terms = (node.left, node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) else ()
    added = {ast.unparse(n.target) for n in ast.walk(loop) if isinstance(n, ast.AugAssign)}
    counted = [part for part in terms if ast.unparse(part) in added]
    start = [loops.value(part, frame) for part in terms if part not in counted]
    return (counted[0], start[0]) if len(counted) == 1 and start[0] is not None else (node, 0)


def counts(name):
    """Whether something of this name counts steps of a training."""
    return any(c in name.lower() for c in COUNTERS) and not any(o in name.lower() for o in OTHERS)


def begins_again(name, loop, outer):
    """Whether a counter is a loop's own, or is set within the loops around that."""
    named = [n for n in ast.walk(loop.target)] if isinstance(loop, ast.For) else []
    for around in outer:
        named += [
            n for a in ast.walk(around) if isinstance(a, ast.Assign) and isinstance(a.value, ast.Constant)
            for n in a.targets
        ]
    return any(name in (getattr(n, "id", None), getattr(n, "attr", None)) for n in named)


def rounds_of(node, frame):
    """The rounds over range(n), islice(stream, n), or what pairs or shows these."""
    n = loops.rounds(node, frame, MOST)
    if n is not None or not isinstance(node, ast.Call):
        return n
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "islice" and len(node.args) == 2:
        return whole(loops.value(node.args[1], frame))
    if name in ("zip", "enumerate", "tqdm", "track"):
        for argument in node.args:
            n = rounds_of(argument, frame)
            if n is not None:
                return n
    return None


def whole(n):
    return n if isinstance(n, int) and 1 <= n <= MOST else None
