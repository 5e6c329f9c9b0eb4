"""What an array of NumPy, JAX, TensorFlow or PyTorch, or a batch of them, reveals about the data."""

from math import prod


def shape_of(thing):
    """Its shape as a tuple, None for what is no array."""
    shape = getattr(thing, "shape", None)
    if shape is None or not hasattr(thing, "dtype"):
        return None
    try:
        return tuple(int(n) for n in shape)
    except (TypeError, ValueError):  # a dimension is unknown
        return None


def elements(shape):
    return prod(shape)


def batch(data):
    """(samples, shape of one) of the first array in nested lists, tuples and mappings; (None, None) without one."""
    shape = first(data)
    return (shape[0], shape[1:]) if shape else (None, None)


def first(data, depth=0):
    """The shape of the first array in them, or None."""
    shape = shape_of(data)
    if shape is not None or depth == 4:
        return shape
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, (list, tuple)) else ()
    return next((found for found in (first(part, depth + 1) for part in parts) if found), None)


def unit(shape):
    """What a sample of this shape is called."""
    return "image" if shape is not None and len(shape) == 3 else "sample"


def together(found):
    """The place of an array whose first dimension is that of most of these (place, shape), None where there is none."""
    known = [(i, s) for i, s in found if s]
    firsts = [s[0] for _, s in known]
    common = max(set(firsts), key=firsts.count) if firsts else None
    return next((i for i, s in known if s[0] == common), None) if 2 * firsts.count(common) > len(firsts) else None
