"""The loops that a step is in, and how many epochs the program will train, from the loop that counts them.

An epoch's loop goes over a range of known length and holds another loop, over the batches:

    for epoch in range(1, args.epochs + 1):
        for x, y in loader:
            ...

The program's text is read, none of it is run.
"""

import ast
import sys

from . import evaluate, syntax

MOST_EPOCHS = 100000
DEEPEST = 60  # frames between a step and a loop around it

PARTS = ("step", "iter", "batch", "per_epoch")  # in the names of what is a part of an epoch

OPTIMIZED = 0x1  # of co_flags: a function's frame, whose locals are not a dictionary


def nest(frames):
    """(loop, frame) of each loop that the frames, the innermost first, are in; the innermost first."""
    return [(loop, frame) for frame in frames for loop in reversed(active(frame))]


def epochs(nest):
    """The rounds of the loop over epochs among these, and the loops around and within that; (None, (), ()) if unknown.

    Of several loops that may count epochs it is the innermost that speaks of them. One that
    does may be that of the steps itself, where a step takes all of the data.
    """
    n, k, says_so = _over_epochs(nest)
    return (n, nest[k + 1 :], nest[:k]) if says_so else (n, (), ())


def index(nest):
    """The index among these of the loop over epochs; 0 if unknown."""
    return _over_epochs(nest)[1]


def begins(nest):
    """Whether the loop over epochs is in its first round; not where each has several passes over the data."""
    n, k, _ = _over_epochs(nest)
    if n is None or k > 1:
        return False
    loop, frame = nest[k]
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return False
    sets = {ast.unparse(n) for s in loop.body for n in ast.walk(s) if isinstance(getattr(n, "ctx", None), ast.Store)}
    moves = any(ast.unparse(n) in sets for n in ast.walk(loop.iter) if isinstance(n, (ast.Name, ast.Attribute)))
    return not moves and lookup(loop.target, frame) == span(loop.iter, frame)[0]


def _over_epochs(nest):
    """(rounds, index, whether it speaks of epochs) of that loop; (None, 0, False) if unknown."""
    found, hidden = [], False  # hidden is whether a loop within may be that over epochs
    for k, (loop, frame) in enumerate(nest):
        words, n = _words(loop), None
        if isinstance(loop, ast.While):
            n = rounds_left(loop, frame)
            hidden = hidden or n is None and syntax.is_library(frame)
        elif k or _names_epochs(loop, words):
            n = rounds(loop.iter, frame, MOST_EPOCHS)
        steps = isinstance(loop, ast.For) and goes_over_steps(loop)
        if n is not None and not steps and any("epoch" in w and "per_epoch" not in w for w in words):
            return n, k, True
        if steps or any(part in w for w in words for part in (*PARTS, "episode")):
            found = found if n is None else []  # parts of a step or of an iteration are no epochs
        elif n is not None and not hidden:
            found.append((n, k, False))
    return found[0] if len(found) == 1 else (None, 0, False)


def goes_over_steps(loop):
    """Whether a loop goes over the steps of all epochs, for i in range(epochs * len(loader))."""
    products = [n for n in ast.walk(loop.iter) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
    return any(
        "epoch" in _said(a).replace("per_epoch", "") and any(part in _said(b) for part in ("len(", *PARTS))
        for n in products for a, b in ((n.left, n.right), (n.right, n.left))
    )


def _said(node):
    return ast.unparse(node).lower()


def _names_epochs(loop, words):
    """Whether a loop's variable is called an epoch, or it has a number of epochs.

    No other loop need be in it, as a step may take the whole set.
    """
    own = getattr(loop.target, "id", "").lower()
    return any(
        not any(part in w for part in PARTS)
        for w in words if w.endswith(("epoch", "epochs")) or w == own and "epoch" in w)


def are_parts(active):
    """Whether epochs are parts of rounds, as those over what was gathered in each; of loops, the innermost first."""
    words = [_words(loop) for loop, _ in active]
    epoch = next((k for k, found in enumerate(words) if any("epoch" in w for w in found)), len(words))
    return any(
        part in w for found in words[epoch + 1 :] for w in found
        for part in ("iter", "update", "episode", "rollout", "collect", "timestep", "time_step", "frame")
    )


def _words(loop):
    """What a loop says of itself: names, attributes and keys of what it goes over, or goes on by."""
    parts = (loop.target, loop.iter) if isinstance(loop, ast.For) else (loop.test,)
    nodes = [n for part in parts for n in ast.walk(part)]
    found = [w for n in nodes for w in (getattr(n, "id", ""), getattr(n, "attr", ""), getattr(n, "value", ""))]
    return [w.lower() for w in found if isinstance(w, str)]


def read(frame, look):
    """What look finds among the variables of a frame.

    Before Python 3.13 a function's frame keeps the copy that it hands out, and with it
    tensors that the program is done with, so the copy is emptied. References: the frame,
    ours, the argument's; any more and the program uses the dictionary itself.
    """
    names = frame.f_locals
    found = look(names)
    if frame.f_code.co_flags & OPTIMIZED and sys.version_info < (3, 13) and sys.getrefcount(names) <= 3:
        names.clear()
    return found


def caller(frame, code):
    """The frame of this code that a frame is or was called from; the last one looked at, or None, if none is near."""
    for _ in range(DEEPEST):
        if frame is None or frame.f_code is code:
            break
        frame = frame.f_back
    return frame


def active(frame):
    """The loops of the frame's code that it is in, the outermost first."""
    name, found = frame.f_code.co_name, []
    if name.startswith("<") and name != "<module>":
        return []  # the loops around a comprehension are those of the frame that it is in
    for node in syntax.around(frame):
        if isinstance(node, (*syntax.FUNCTIONS, ast.Lambda)):
            found = []  # the loops around a function are not those it runs in
        elif isinstance(node, (ast.For, ast.While)):
            found.append(node)
    return found


def outermost(frames):
    """The place of the outermost loop that the frames, the innermost first, are in, and where it is called from.

    None without one.
    """
    called = []
    for frame in reversed(frames):
        for loop in active(frame):
            return (*called, (frame.f_code.co_filename, loop.lineno))
        called.append((frame.f_code.co_filename, frame.f_lineno))
    return None


def rounds(node, frame, most):
    """The number of rounds of a loop over this; None if unknown."""
    over = span(node, frame)
    return len(over) if over is not None and 1 <= len(over) <= most else None


def rounds_left(loop, frame):
    """Those of while epoch < n with the one that the frame is in; None for another condition, or unknown."""
    for part in (
        loop.test.values if isinstance(loop.test, ast.BoolOp) and isinstance(loop.test.op, ast.And) else [loop.test]
    ):
        if (
            isinstance(part, ast.Compare) and isinstance(part.ops[0], (ast.Lt, ast.LtE))
            and "epoch" in ast.dump(part.left).lower()
        ):
            at, end = value(part.left, frame), value(part.comparators[0], frame)
            n = (
                None if at is None or end is None
                else end - at + isinstance(part.ops[0], ast.LtE) + _is_counted(part.left, loop, frame)
            )
            return n if n is not None and 1 <= n <= MOST_EPOCHS else None
    return None


def _is_counted(counter, loop, frame):
    """Whether the round that the frame is in has been counted: its counter is added to above."""
    sets = [
        n for s in loop.body for n in ast.walk(s)
        if isinstance(n, (ast.Assign, ast.AugAssign)) and n.lineno < frame.f_lineno
    ]
    return any(
        ast.unparse(t) == ast.unparse(counter)
        for s in sets for t in (s.targets if isinstance(s, ast.Assign) else [s.target])
    )


def span(node, frame):
    """The numbers of a range, of a progress bar over one, or of what holds either; None if unknown."""
    if not isinstance(node, ast.Call):
        found = lookup(node, frame)
        if type(found) is not range:
            own = vars(found) if hasattr(found, "__dict__") else {}
            counts = any(kind.__name__ == "EpochCounter" for kind in type(found).__mro__)  # SpeechBrain's
            limit = own.get("limit") if counts else None
            found = range(limit) if type(limit) is int else own.get("iterable")  # of tqdm's bars
        return found if type(found) is range else None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("range", "trange") and len(node.args) <= 3:
        bounds = [value(a, frame) for a in node.args]
        return None if not bounds or None in bounds or bounds[2:] == [0] else range(*bounds)
    if name in ("tqdm", "track", "master_bar") and node.args:
        return span(node.args[0], frame)
    return None


def value(node, frame):
    """The whole number that an expression of names, attributes, entries, lengths and numbers comes to, or None."""
    def get(part):
        found = _extent(part, frame)
        return lookup(part, frame) if found is None else found

    try:
        found = evaluate.value(node, get)
    except evaluate.Unknown:
        return None
    if isinstance(found, float) and found.is_integer():  # 1e6
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


# Where sequences and arrays are defined whose extent is only looked up.
PLAIN = ("builtins", "torch", "numpy", "jax", "jaxlib")


def _extent(node, frame):
    """What len(x), x.shape[k] or x.size(k) is of a list or an array, whose classes are not the program's; else None."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        name, of, places = "shape", node.value.value, [node.slice]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "size":
        name, of, places = "shape", node.func.value, node.args
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and len(node.args) == 1:
        name, of, places = "len", node.args[0], [ast.Constant(0)]
    else:
        return None
    found, place = lookup(of, frame), value(places[0], frame) if len(places) == 1 else None
    if place is None or type(found).__module__.partition(".")[0] not in PLAIN:
        return None
    try:
        return len(found) if name == "len" else found.shape[place]
    except Exception:  # it has none
        return None


def lookup(node, frame):
    """What a name, or a plain attribute or entry of what has one, holds; None without it. Nothing is computed."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return read(frame, lambda names: names.get(node.id, frame.f_globals.get(node.id)))
    if isinstance(node, ast.Attribute):
        return held(lookup(node.value, frame), node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        holder = lookup(node.value, frame)
        return held(holder, node.slice.value) if issubclass(type(holder), dict) or _settings(holder) else None
    return None


def held(holder, name):
    """What an object has stored under a name; None without it. A property is code of the program, and not read."""
    own = vars(holder) if hasattr(holder, "__dict__") else {}
    if name in own:
        return own[name]
    if name == "value" and type(holder).__name__ == "FlagHolder":  # what absl's DEFINE functions return
        return held(own.get("_flagvalues"), own.get("_name"))
    if issubclass(type(holder), dict):  # whose entries may be attributes
        return dict.get(holder, name)
    kinds = (holder if issubclass(type(holder), type) else type(holder)).__mro__
    shared = next((vars(kind)[name] for kind in kinds if name in vars(kind)), None)  # class Config: epoch = 14
    if shared is not None and not hasattr(type(shared), "__get__"):
        return shared
    found = _settings(holder).get(name)
    kept = vars(found) if hasattr(found, "__dict__") else {}
    return next((kept[k] for k in ("_value", "_val") if k in kept), found)


def _settings(holder):
    """The settings that an object of absl, ml_collections or OmegaConf keeps by their names; {} of any other."""
    package = type(holder).__module__.partition(".")[0]
    kept = vars(holder).get(SETTINGS[package]) if package in SETTINGS and hasattr(holder, "__dict__") else None
    return kept if type(kept) is dict else {}


SETTINGS = {"absl": "__flags", "ml_collections": "_fields", "omegaconf": "_content"}
