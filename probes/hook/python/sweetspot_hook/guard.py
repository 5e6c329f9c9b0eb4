"""Keeps what fails in here out of the program.

What the program's own calls lead to, in here, is guarded: whatever it raises,
a warning says so, the program goes on, and nothing more of it is measured.
Only exceptions that are no errors pass, such as the stop at a step boundary
and a KeyboardInterrupt.
"""

import functools


def guarded(method):
    """A method of something that can give up, which returns None where it fails."""

    @functools.wraps(method)
    def call(self, *args):
        try:
            return method(self, *args)
        except Exception as err:
            return self.give_up(err)

    return call


def words(err):
    """An exception in words. Its own may be the program's, and fail as well."""
    try:
        return "%s: %s" % (type(err).__name__, err)
    except Exception:
        return type(err).__name__
