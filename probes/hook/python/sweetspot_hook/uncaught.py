"""Reports the exception that ended the program, since what it writes last may be something else."""

import atexit
import sys

from . import events, guard

# Of a program whose child failed, for a reason that the child reports.
OF_CHILD = {"ChildFailedError", "CalledProcessError", "ProcessExitedException"}

told = False  # why: that memory ran out


def begin():
    atexit.register(_report)


def _report():
    try:
        err = getattr(sys, "last_value", None)
        if not told and isinstance(err, Exception) and type(err).__name__ not in OF_CHILD:
            events.emit("error", message=words(err)[:500])
    except Exception:  # standard error has it as well
        pass


def words(err):
    """The exception on one line; if it hands on another process's traceback, the exception of that."""
    text = guard.words(err)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if "Traceback (most recent call last)" in text else lines[0]
