"""Tells when the program has imported a module, without importing it."""

import sys
from time import perf_counter

from . import events

_wanted = {}  # what to call, by the name of the module


def after(name, then):
    """Calls then() as soon as the module has been imported, or now if it already is."""
    if name in sys.modules:
        return then()
    if not any(isinstance(f, Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, Finder())
    _wanted.setdefault(name, []).append(then)


class Finder:
    """Finds the wanted modules through the other finders, and calls what is to be called once one is loaded.

    A module stays wanted until then: a program may also only ask whether it is there.
    """

    def find_spec(self, name, path=None, target=None):
        if name not in _wanted:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                self._after_loading(name, spec.loader)
                return spec
        return None

    def _after_loading(self, name, loader):
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module):
            execute(module)
            begin = perf_counter()
            for then in _wanted.pop(name, ()):
                then()
            events.overhead += perf_counter() - begin
            if not _wanted:
                sys.meta_path[:] = [f for f in sys.meta_path if f is not self]

        try:
            loader.exec_module = exec_module
        except Exception:  # it has slots, or a will of its own
            events.warn("this program's %s cannot be watched: its loader is a %s" % (name, type(loader).__name__))
