"""Python imports this before any program starts: it starts watching, then runs the sitecustomize that it shadows.

A sitecustomize of the machine or of the user's environment is run as if this
one were not there. Nothing here may break the interpreter it is found by, so
it is written for any version of it.
"""

import os
import sys


def _begin(here):
    if sys.version_info < (3, 8):
        return
    try:
        import sweetspot_hook

        sweetspot_hook.begin(here)
    except Exception:  # a probe that cannot watch leaves the program alone; the absence of events is noticed
        pass


def _next(here):
    """Runs the sitecustomize that this one shadows."""
    sys.path[:] = [p for p in sys.path if not _is(p, here)]
    if sys.version_info < (3, 5):
        return
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    # Python's site module reports its exceptions, as usual.
    spec.loader.exec_module(module)


def _is(path, here):
    try:
        return os.path.abspath(path or ".") == here
    except (OSError, TypeError):  # the current directory is gone; no path at all
        return False


_here = os.path.dirname(os.path.abspath(__file__))
_begin(_here)
_next(_here)
