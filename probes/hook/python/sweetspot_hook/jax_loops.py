"""JAX's own loops that are being traced, one in another, and how often a call does what is in them."""

from . import arrays


class Loops:
    def __init__(self, leaves):
        self.leaves = leaves
        self.active = []  # (rounds or None, traces of what goes into it), the outermost first

    def enter(self, name, args, kwargs):
        traces = (getattr(leaf, "_trace", None) for leaf in self.leaves((args, kwargs)))
        self.active.append((self._rounds(name, args, kwargs), {id(t) for t in traces if t is not None}))

    def leave(self):
        self.active.pop()

    def times(self, parameter):
        """How often a call changes a parameter of which gradients are taken; None if unknown.

        A loop changes what it hands from round to round. What comes from outside it has the same
        gradients added up, as those of the parts of a batch.
        """
        n, trace = 1, getattr(parameter, "_trace", None)
        for rounds, outside in self.active:
            if trace is None or id(trace) in outside:
                return n
            if rounds is None:
                return None
            n *= rounds
        return n

    def _rounds(self, name, args, kwargs):
        given = dict(zip(PARAMETERS.get(name, ()), args), **kwargs)
        if name == "fori_loop":
            bounds = given.get("lower"), given.get("upper")
            return max(bounds[1] - bounds[0], 0) if all(isinstance(b, int) for b in bounds) else None
        if isinstance(given.get("length"), int):
            return given["length"]
        shape = next((s for s in map(arrays.shape_of, self.leaves(given.get("xs"))) if s), None)
        return shape[0] if shape else None


PARAMETERS = {"fori_loop": ("lower", "upper"), "scan": ("f", "init", "xs", "length"), "map": ("f", "xs")}
