"""Stops the run at the next step boundary: on SIGINT or SIGTERM, or when
sweetspot asks through the file that SWEETSPOT_CONTROL names. A second signal
ends it at once."""

import mmap
import os
import signal


class Interrupted(Exception):
    """The run was asked to stop."""


_ASK, _WATCHED, _LENGTH = 0, 1, 16  # bytes of the control file

_asked = False
_control = None


def _on_signal(_number, _frame):
    global _asked
    if _asked:
        raise KeyboardInterrupt
    _asked = True


def install():
    signal.signal(signal.SIGINT, _on_signal)
    signal.signal(signal.SIGTERM, _on_signal)


def watch():
    """Announces that from now on check() is called at every step boundary.

    Until then, sweetspot sends a signal instead of waiting for a boundary.
    """
    global _control
    path = os.environ.get("SWEETSPOT_CONTROL")
    if not path or _control is not None:
        return
    try:
        with open(path, "r+b") as f:
            _control = mmap.mmap(f.fileno(), _LENGTH)
    except (OSError, ValueError):
        return  # signals stop the run as well
    _control[_WATCHED] = 1


def asked():
    return _asked or (_control is not None and _control[_ASK] == 1)


def check():
    """Raises Interrupted between two steps once a stop was asked for."""
    if asked():
        raise Interrupted
