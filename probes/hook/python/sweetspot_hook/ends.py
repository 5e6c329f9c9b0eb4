"""The end of a process that multiprocessing started, which runs its finalizers only, and nothing of atexit."""

import sys


def when_ended(call):
    """Calls it at the end of this process if that is such a one. It has to run already, not only to be prepared."""
    util, process = sys.modules.get("multiprocessing.util"), sys.modules.get("multiprocessing.process")
    if util is not None and process is not None and process.parent_process() is not None:
        util.Finalize(None, call, exitpriority=0)
