"""How many epochs the program will train, from the loop over them or the variables that usually hold the number."""

import numbers

from . import delayed, loops, repeats

NAMES = (
    "num_train_epochs", "max_epochs", "num_epochs", "n_epochs", "epochs", "nb_epochs", "total_epochs", "train_epochs",
    "nepochs", "nEpochs", "number_of_epochs", "max_num_epochs", "training_epochs", "max_epoch", "num_epoch", "n_epoch",
    "total_epoch", "EPOCHS", "NUM_EPOCHS", "N_EPOCHS", "MAX_EPOCHS", "MAX_EPOCH", "NUM_EPOCH",
)
HOLDERS = (
    "args", "cfg", "config", "opt", "opts", "hparams", "trainer", "training_args", "flags", "FLAGS", "params", "self",
)
OPTIONS = tuple("--" + name.replace("_", mark) for name in (*NAMES, "epoch") if name.islower() for mark in "_-")

OTHERS = (__package__, "torch")  # packages whose frames are not the program's
FORKED = "multiprocessing.process", "_bootstrap"  # what a forked process calls first: further frames are its parent's


def find(frames, arguments, loader=None):
    """The number of epochs, which are passes over the loader with this id, if there is one; None if unknown.

    It is told from the program's active frames, the innermost first, and its arguments.
    """
    passes = 1
    try:
        nest = loops.nest(frames)
        if loops.are_parts(nest):
            return None
        n, around, within = loops.epochs(nest)
        if n is not None:
            part = _share(frames, nest)
            if part is None:
                return None
            n = int(n * part)
        passes = repeats.times(repeats.around_pass(within, loader), nest)
    except Exception:  # a program may hold any object under any name
        nest, n, around = (), None, ()
    if n is None:
        n = by_name(frames, NAMES, loops.MOST_EPOCHS) or in_arguments(arguments, OPTIONS, loops.MOST_EPOCHS)
        around = repeats.around_library(nest)
    return n and whole(n * passes * repeats.times(around, nest), loops.MOST_EPOCHS)


def _share(frames, nest):
    """The share of the loop's rounds that train, as where others gather data for it; None if unknown."""
    k = loops.index(nest)
    return delayed.share(frames, nest[k:], nest[k - 1] if k else None)


def counted(frames):
    """The epochs that a loop counts; None without one that says so."""
    try:
        return loops.epochs(loops.nest(frames))[0]
    except Exception:
        return None


def begin(frames, loader):
    """Whether the loop over epochs is in its first round: a library calls a training again from the same place.

    Its passes are over the loader with this id, if there is one.
    """
    try:
        return loops.begins(repeats.from_pass(loops.nest(frames), loader))
    except Exception:
        return False


def frames_of(frame):
    """The program's own frames from this one outwards; in a forked process, up to where it began."""
    frames = []
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.partition(".")[0] not in OTHERS:
            frames.append(frame)
        frame = None if (name, frame.f_code.co_name) == FORKED else frame.f_back
    return frames


def by_name(frames, wanted, most):
    """The first number up to most that a frame, or what it holds, has under one of these names."""
    seen = set()
    for frame in frames:
        n = _in_frame(frame, seen, wanted, most)
        if n is not None:
            return n
    return None


def _in_frame(frame, seen, wanted, most):
    def look(names):
        return _in_names(names, wanted, most)

    code = frame.f_code
    if code.co_flags & loops.OPTIMIZED:
        own = set(code.co_varnames + code.co_cellvars + code.co_freevars)
        if own.intersection(wanted) or own.intersection(HOLDERS):
            found = loops.read(frame, look)
            if found is not None:
                return found
    if id(frame.f_globals) in seen:
        return None
    seen.add(id(frame.f_globals))
    return look(frame.f_globals)


def _in_names(names, wanted, most):
    for name in wanted:
        n = whole(names.get(name), most)
        if n is not None:
            return n
    for holder in HOLDERS:
        n = _in_holder(names.get(holder), wanted, most, 0)
        if n is not None:
            return n
    return None


def _in_holder(holder, wanted, most, depth):
    if holder is None or isinstance(holder, (int, float, str, bytes, list, tuple)):
        return None
    for name in wanted:
        n = whole(_value(holder, name), most)
        if n is not None:
            return n
    if depth < 2:
        for name in (
            "args", "config", "cfg", "hparams", "trainer", "train", "training", "fit_loop", "SOLVER", "TRAIN", "solver",
        ):
            n = _in_holder(_value(holder, name), wanted, most, depth + 1)
            if n is not None:
                return n
    return None


def _value(holder, name):
    """An entry or a plain attribute: nothing is computed for it."""
    try:
        if isinstance(holder, dict):
            return holder.get(name)
        own = vars(holder) if hasattr(holder, "__dict__") else {}
        if name in own:
            return own[name]
        # Lightning's trainer and configurations have properties.
        return getattr(holder, name) if hasattr(type(holder), name) or not callable(holder) else None
    except Exception:  # the program's own code
        return None


def whole(value, most):
    """1 to most as an int, else None. What absl's DEFINE functions return holds one."""
    if type(value).__name__ == "FlagHolder":
        value = loops.held(value, "value")
    if isinstance(value, bool) or not isinstance(value, (numbers.Integral, float)):  # NumPy's integers are such, too
        return None
    return int(value) if 1 <= value <= most and value == int(value) else None


def in_arguments(words, options, most):
    for i, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in options:
            value = value if equals else (words[i + 1] if i + 1 < len(words) else "")
            return whole(int(value), most) if value.isdigit() else None
    return None
