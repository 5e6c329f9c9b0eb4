"""Keeps failures of the hook out of the program.

Code that the program's own calls reach is guarded: if it raises, a warning says
so, the program goes on, and measuring ends. Only exceptions that are not errors
pass, such as the stop at a step boundary and a KeyboardInterrupt.
"""

import functools


def guarded(method):
    """Wraps a method of an object that can give up: if it fails, it returns None."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except Exception as err:
            return self.give_up(err)

    return call


def words(err):
    """An exception as text. Its __str__ may be the program's, and fail as well."""
    try:
        return "%s: %s" % (type(err).__name__, err)
    except Exception:
        return type(err).__name__
