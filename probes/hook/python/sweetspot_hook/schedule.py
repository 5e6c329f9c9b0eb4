"""Whether the program's text makes the work of a step, or what comes between steps, hang on the epoch or the step.

    size = 16 if epoch < 8 else 32
    if epoch == 4: unfreeze(model)

The text around the loops that a step is in is read, none of it is run. What is no work is left out: learning rates,
messages, what comes every so many epochs, and seeds.
"""

import ast
import linecache
import re

from . import loops, syntax

COUNTERS = re.compile(r"_?(cur(rent)?_?|global_?)?(epoch|step|iter|iteration|it)(_?(num|idx|index|no|i))?", re.I)
SIZES = re.compile(
    r"(.*_)?(size|side|resolution|img_?size|imgsz|crop|batch|bs|batch_?size|length|len|seq|seq_?len|block_?size|window"
    r"|ctx|context|subset|n_?samples|num_samples|accum\w*|grad_acc\w*)(_.*)?", re.I)
TAKERS = re.compile(
    r"\w*DataLoader\w*|Subset|\w*[Rr]esize\w*|\w*Crop|interpolate|\w*pool2d"
    r"|randint|randn|rand|zeros|ones|empty|random_split", re.A)
WORKERS = re.compile(
    r"\w*(backward|freeze|ema|swa|mix_?up|cut_?mix|update_parameters|evaluate|validate|add_param_group|requires_grad_)"
    r"|(eval|test|valid)\w*|model|net",
    re.I | re.A)
SWITCHES = re.compile(r".*(mix|mosaic|augment|freez|frozen|requires_grad).*", re.I)  # what is on in some epochs
RATES = re.compile(
    r"(.*_)?(lr|lrs|rate|rates|momentum|decay|seed|log|print|save|ckpt|checkpoint"
    r"|mean|avg|average|sum|total|loss|acc|time|eta|speed)(_.*)?", re.I)
NUMBERS = (ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.BoolOp, ast.Name, ast.Attribute, ast.Constant,
           ast.Subscript, ast.List, ast.Tuple,
           ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context)
ROUND = ("int", "float", "min", "max", "round", "ceil", "floor", "len")
MOST = 80  # characters of a line that are told


class Place:
    """A line whose work hangs on a count: "epoch" or "step".

    Wanted are the expressions of sizes that it hangs by, if by these alone.
    """

    def __init__(self, frame, line, of, wanted):
        self.frame, self.line, self.of, self.wanted = frame, line, of, wanted  # the frame by its index


def find(frames, epochs=None):
    """All such places of the frames, the innermost first. The program trains so many epochs."""
    found = []
    for k, frame in enumerate(frames):
        try:
            reader = Reader(frame, epochs)
            found.extend(Place(k, *place) for place in reader.places())
        except Exception:  # a program may hold any object under any name
            found.extend(Place(p.frame, p.line, p.of, None) for p in found[:1])
    return found


def words(frames, places):
    """A sentence with the first of the places; None without one."""
    if not places:
        return None
    line, frame = places[0].line, frames[places[0].frame]
    text = linecache.getline(frame.f_code.co_filename, line, frame.f_globals).strip()
    return "its work changes with the %s: %s (line %d)" % (
        places[0].of, text if len(text) <= MOST else text[: MOST - 1] + "…", line
    )


def name(node):
    """What a name, an attribute or a call is called."""
    if isinstance(node, ast.Call):
        return name(node.func)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def is_count(called):
    """Whether something of this name counts epochs or steps; all in capitals it is how many there are."""
    return COUNTERS.fullmatch(called) is not None and not called.isupper()


def inside(nodes, off=lambda test: False):
    """All nodes in these but those of functions of their own, and those under a condition that is off."""
    nodes = list(nodes)
    while nodes:
        node = nodes.pop(0)
        yield node
        if isinstance(node, ast.If) and off(node.test):
            nodes[:0] = node.orelse
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            nodes[:0] = ast.iter_child_nodes(node)


class Reader:
    """Reads one function, or the module, in the order of its text."""

    def __init__(self, frame, epochs):
        scope, active = syntax.function(frame), loops.active(frame)
        self.frame, self.epochs = frame, epochs
        # Only what a loop repeats changes; a function that a step is in is repeated by its callers.
        module = isinstance(scope, ast.Module)
        self.body = active[:1] if module else scope.body
        self.counts = {}  # names that hang on a count -> "epoch" or "step"
        self.compared = {}  # names of what a count is compared with -> the comparison
        for loop in active:
            if isinstance(loop, ast.For):
                target = loop.target
                if isinstance(target, ast.Tuple) and target.elts and any(
                    name(n) == "enumerate" for n in ast.walk(loop.iter)
                ):
                    target = target.elts[0]  # of others the first need be no count, as of the two parts of a fold
                outer = loop is active[0] and len(active) > 1
                if isinstance(target, ast.Name) and outer:
                    self.counts[target.id] = "epoch"

    def count(self, node):
        """Which count an expression hangs on, if any."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            called = name(node)
            if called in self.counts:
                return self.counts[called]
            return ("epoch" if "epoch" in called.lower() else "step") if is_count(called) else None
        parts = (
            node.args + [k.value for k in node.keywords] if isinstance(node, ast.Call)
            else ast.iter_child_nodes(node)
        )
        return next(filter(None, map(self.count, parts)), None)

    def places(self):
        """(line, epoch or step, wanted) of the nodes whose work hangs on a count."""
        for node in inside(self.body, self._off):
            of, wanted = self._work(node) or (None, None)
            if of:
                yield node.lineno, of, wanted

    def _work(self, node):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            return self._assigned(node)
        if isinstance(node, ast.If):
            return self._guarded(node)
        if isinstance(node, ast.Call) and TAKERS.fullmatch(name(node)):
            return self._taken(node)
        return None

    def _assigned(self, node):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [name(t) for t in targets]
        if (
            any(RATES.fullmatch(n) or COUNTERS.fullmatch(n) for n in names)
            or not _is_number(node.value) or _recurs(node.value)
        ):
            return None
        of = self.count(node.value)
        if of is None:
            return None
        # Epochs times their steps are no number to compare with the epochs.
        counts = "step" if any(map(self._is_step, ast.walk(node.value))) else of
        self.counts.update((n, counts) for n in names if n)
        if isinstance(node.value, ast.Compare):
            self.compared.update((n, node.value) for n in names if n)
        wanted = [t for t, n in zip(targets, names) if SIZES.fullmatch(n) and self._may_be_size(n)]
        return (of, wanted) if wanted else None

    def _is_step(self, node):
        """Whether it is epochs times a number and a part of an epoch."""
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            return False
        return any(
            isinstance(whole, ast.BinOp) and isinstance(whole.op, ast.Mult) and self.count(whole) is not None
            and not isinstance(part, ast.Constant)
            for whole, part in ((node.left, node.right), (node.right, node.left))
        )

    def _may_be_size(self, name):
        """Whether a name is none of the program's, or that of numbers: a batch may be called as its size is."""
        found = loops.lookup(ast.Name(name, ast.Load()), self.frame)
        return all(
            isinstance(n, (int, float)) for n in (found if isinstance(found, (tuple, list)) else [found])
        ) or found is None

    def _guarded(self, node):
        of = (
            any(isinstance(n, ast.Compare) or name(n) in self.counts for n in inside([node.test]))
            and self.count(node.test)
        )
        if not of or _recurs(node.test) or self._asks(node.test) or self._settled(node.test, node.orelse):
            return None
        goes_on = not node.orelse and not isinstance(node.body[-1], ast.Continue)  # to what is done otherwise, too
        if goes_on and node.body[0].lineno <= self.frame.f_lineno <= node.end_lineno:
            return None  # it holds for every step
        sizes = []
        for n in inside(node.body + node.orelse):
            if isinstance(n, ast.Call) and WORKERS.fullmatch(name(n)) and name(getattr(n.func, "value", None)) != "gc":
                return of, None
            if (
                isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
                and WORKERS.fullmatch(name(n.func.value)) and n.func.attr == "update"
            ):
                return of, None
            if isinstance(n, ast.Assign):
                names = [name(t) for t in n.targets]
                if any(SWITCHES.fullmatch(x) and not RATES.fullmatch(x) for x in names):
                    return of, None
                sizes += [t for t, x in zip(n.targets, names) if SIZES.fullmatch(x) and not RATES.fullmatch(x)]
                if isinstance(n.value, ast.Constant) and isinstance(n.value.value, bool):
                    self.counts.update((x, of) for x in names if x)
        return (of, sizes) if sizes else None

    def _asks(self, test):
        """Whether a function is asked about the count, such as divisible_by(step, 100): most say what recurs."""
        return any(isinstance(n, ast.Call) and self.count(n) for n in inside([test]))

    def _taken(self, call):
        given = call.args + [k.value for k in call.keywords if k.arg and SIZES.fullmatch(k.arg)]
        parts = [e for a in given for e in (a.elts if isinstance(a, (ast.Tuple, ast.List)) else [a])]
        of = {}
        for part in parts:
            if any(isinstance(n, ast.Call) and TAKERS.fullmatch(name(n)) and self._taken(n) for n in inside([part])):
                continue  # that is told of itself
            counted = [
                self.count(n) for n in inside([part]) if isinstance(n, (ast.Name, ast.Attribute)) and self.count(n)
            ]
            if counted:
                of[part] = counted[0]
        return (next(iter(of.values())), list(of)) if of and not _recurs(call) else None

    def _settled(self, test, otherwise=()):
        """Whether a condition is known to be the same in nearly every epoch.

        A part of it is off, or it waits for the last epoch or later. It is also the same where it
        holds from the first on, or in the first epoch or step alone, which was seen, and nothing is done otherwise.
        """
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            left = [part for part in test.values if not self._always(part)]
            return any(self._settled(part, otherwise) for part in left) or not any(map(self.count, left))
        if self._always(test):
            return True
        test = self.compared.get(name(test), test)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and self.count(test.left):
            at, left = loops.value(test.comparators[0], self.frame), test.left
            if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add) and isinstance(left.right, ast.Constant):
                at, left = loops.value(ast.BinOp(test.comparators[0], ast.Sub(), left.right), self.frame), left.left
            own = isinstance(left, (ast.Name, ast.Attribute))
            once, of_epoch = isinstance(test.ops[0], ast.Eq), self.count(test.left) == "epoch"
            if not own or at is None:
                return False
            if once and not otherwise and at <= (0 if of_epoch else 1):
                return True
            if isinstance(test.ops[0], (ast.Lt, ast.LtE)) and not otherwise and at <= 0:
                return True
            return bool(self.epochs) and of_epoch and at > self.epochs - 2 * once
        return self._off(test)

    def _always(self, test):
        """Whether a condition holds from the first epoch or step on."""
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not self.count(test.left):
            return False
        at = loops.value(test.comparators[0], self.frame) if isinstance(test.left, (ast.Name, ast.Attribute)) else None
        return at is not None and (at <= 0 if isinstance(test.ops[0], ast.GtE) else
                                   at < 0 and isinstance(test.ops[0], ast.Gt))

    def _off(self, test):
        return is_off(test, self.frame, self.count)


def is_off(test, frame, counts):
    """Whether a condition is a name of something that is off, or has such a part; what counts holds for never is."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(is_off(part, frame, counts) for part in test.values)
    if not isinstance(test, (ast.Name, ast.Attribute)) or counts(test):
        return False
    found = loops.lookup(test, frame)
    return isinstance(found, (bool, int, float)) and not found


def _recurs(node):
    """Whether a remainder is taken in it, as where something comes every so many epochs."""
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod) for n in ast.walk(node))


def _is_number(node):
    """Whether an expression is arithmetic: what a function or a list of batches gives may be anything."""
    if isinstance(node, ast.Call):
        return name(node) in ROUND and all(_is_number(a) for a in node.args)
    return isinstance(node, NUMBERS) and all(_is_number(child) for child in ast.iter_child_nodes(node))
