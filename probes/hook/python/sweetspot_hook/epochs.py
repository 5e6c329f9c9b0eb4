"""How many epochs the program will train, from the loop over them or the variables that usually hold the number."""

import os
import sys

from . import loops

NAMES = ("num_train_epochs", "max_epochs", "num_epochs", "n_epochs", "epochs", "nb_epochs", "total_epochs", "EPOCHS", "NUM_EPOCHS", "N_EPOCHS", "MAX_EPOCHS")
HOLDERS = ("args", "cfg", "config", "opt", "opts", "hparams", "trainer", "training_args", "flags", "FLAGS", "params", "self")
OPTIONS = ("--epochs", "--num-epochs", "--num_epochs", "--n-epochs", "--n_epochs", "--max-epochs", "--max_epochs", "--num_train_epochs", "--num-train-epochs")

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


def find(frame):
    """The number of epochs, from the active frames and the command line; None if unknown."""
    frames, seen = [], set()
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_OWN) and (os.sep + "torch" + os.sep) not in name:
            frames.append(frame)
        frame = frame.f_back
    try:
        n = loops.epochs(frames)
    except Exception:  # a program may hold any object under any name
        n = None
    for frame in frames:
        n = n or _in_frame(frame, seen)
    return n or _in_arguments(sys.argv[1:])


def _in_frame(frame, seen):
    code = frame.f_code
    if code.co_flags & loops.OPTIMIZED:
        wanted = set(code.co_varnames + code.co_cellvars + code.co_freevars)
        if wanted.intersection(NAMES) or wanted.intersection(HOLDERS):
            found = loops.read(frame, _in_names)
            if found is not None:
                return found
    if id(frame.f_globals) in seen:
        return None
    seen.add(id(frame.f_globals))
    return _in_names(frame.f_globals)


def _in_names(names):
    for name in NAMES:
        n = whole(names.get(name))
        if n is not None:
            return n
    for holder in HOLDERS:
        n = _in_holder(names.get(holder), 0)
        if n is not None:
            return n
    return None


def _in_holder(holder, depth):
    if holder is None or isinstance(holder, (int, float, str, bytes, list, tuple)):
        return None
    for name in NAMES:
        n = whole(_value(holder, name))
        if n is not None:
            return n
    if depth < 2:
        for name in ("args", "config", "cfg", "hparams", "trainer", "train", "training", "fit_loop"):
            n = _in_holder(_value(holder, name), depth + 1)
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


def whole(value):
    """1 to MOST_EPOCHS as an int, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 1 <= value <= loops.MOST_EPOCHS and value == int(value) else None


def _in_arguments(words):
    for i, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in OPTIONS:
            value = value if equals else (words[i + 1] if i + 1 < len(words) else "")
            return whole(int(value)) if value.isdigit() else None
    return None
