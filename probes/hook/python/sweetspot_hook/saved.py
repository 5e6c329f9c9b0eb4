"""What is saved: weights, or numbers and texts alone."""

import itertools

MOST_LOOKED_AT, DEEPEST = 100, 4  # entries of a list or a dictionary that is saved, and levels of them
STATES = {"param_groups", "last_epoch"}  # in those of optimizers and schedules, which may be numbers alone
SCALARS = (bool, int, float, str, bytes, complex, type(None))
SETTINGS = ("device", "dtype", "PosixPath", "WindowsPath")  # names of classes of what arguments hold as well


def is_plain(thing, depth=0):
    """Whether something that is saved holds numbers and texts alone, as scores or arguments; arrays may be among them.

    Arrays alone are weights. A tensor by itself that is not trained holds numbers, as those of all epochs so far.
    """
    kind = type(thing)
    if kind in SCALARS or kind.__module__ == "numpy" or kind.__name__ in SETTINGS:
        return True
    if hasattr(kind, "__torch_function__"):  # a tensor, whatever else it holds under names
        return depth == 0 and kind.__name__ == "Tensor" and not thing.requires_grad
    if depth == DEEPEST:
        return False
    if kind in (list, tuple):
        parts = thing
    else:
        named = dict.copy(thing) if issubclass(kind, dict) else _own(thing)
        if not named:
            return issubclass(kind, dict)  # as the state of what has none
        if STATES & named.keys() or all(type(part).__name__ == "ndarray" for part in named.values()):
            return False
        parts = named.values()
    return all(is_plain(part, depth + 1) for part in itertools.islice(parts, MOST_LOOKED_AT))


def _own(thing):
    """What an object has under names, without a word of its own."""
    try:
        return object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}


def are_weights(thing, torch):
    """Whether it is a network or its state, alone or in a dictionary."""
    parts = [thing, *(dict.values(thing) if issubclass(type(thing), dict) else ())]
    return any(issubclass(type(part), torch.nn.Module) or "_metadata" in _own(part) for part in parts)
