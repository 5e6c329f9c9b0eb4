"""SIGINT and SIGTERM stop the run at the next step boundary; a second one at once."""

import signal


class Interrupted(Exception):
    """The run was asked to stop."""


_asked = False


def _on_signal(_number, _frame):
    global _asked
    if _asked:
        raise KeyboardInterrupt
    _asked = True


def install():
    signal.signal(signal.SIGINT, _on_signal)
    signal.signal(signal.SIGTERM, _on_signal)


def asked():
    return _asked


def check():
    """Raises Interrupted between two steps once a stop was asked for."""
    if _asked:
        raise Interrupted
