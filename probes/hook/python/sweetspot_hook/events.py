"""Writes event lines to where SWEETSPOT_EVENTS says (fd:N or a path).

Without it there are none: standard output belongs to the program.
"""

import _thread
import os
import time

# Longest line that several processes can write to one FIFO without mixing.
LONGEST = 4095

# Iterations are written together, the first of them at most so many seconds late, or so many at once: a write
# wakes sweetspot, which takes more of the step's time than all the rest that is done about it.
LATE, TOGETHER = 0.1, 32


def _process_start():
    """The time.monotonic() at which this process began."""
    now = time.monotonic()
    try:
        with open("/proc/self/stat") as f:
            ticks = float(f.read().rsplit(")", 1)[1].split()[19])
        with open("/proc/uptime") as f:
            uptime = float(f.read().split()[0])
        age = uptime - ticks / os.sysconf("SC_CLK_TCK")
        if 0 <= age < 60:
            return now - age
    except (OSError, ValueError, IndexError):
        pass
    return now


# When the first watched process began; all of them count from there.
START = OWN = _process_start()  # OWN is when this one began

# Seconds that watching took which are in no iteration: without a probe the program would have ended so much earlier.
overhead = 0.0

_fd = None  # -1 once nobody listens
_opened = None  # what it was opened as: device and inode
_pending = []  # iterations that are not written yet
_written = 0.0  # when others were, in seconds since the start
_lock = _thread.RLock()


def since_start():
    """Seconds since the probe's first process began."""
    return time.monotonic() - START


def at(perf):
    """A time.perf_counter() as seconds since the probe's first process began."""
    return since_start() - (time.perf_counter() - perf)


def _where():
    """The FIFO of the probe, which every process can open, else the place that SWEETSPOT_EVENTS names."""
    return os.environ.get("SWEETSPOT_EVENTS_PATH") or os.environ.get("SWEETSPOT_EVENTS", "")


def _open():
    where = _where()
    if where.startswith("fd:"):
        return int(where[3:])
    if not where:
        return -1
    # Without a reader a FIFO would keep the program waiting.
    fd = os.open(where, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    os.set_blocking(fd, True)
    return fd


def _identity(fd):
    """Device and inode of an open file; None for one that is not open."""
    try:
        s = os.fstat(fd)
        return s.st_dev, s.st_ino
    except OSError:
        return None


def _reopen():
    """Opens the stream, for the first time or after the program closed it.

    An inherited descriptor that the program closed cannot be opened again.
    """
    global _fd, _opened
    lost = _opened
    _fd = -1
    fd = _open()
    found = _identity(fd) if fd != -1 else None
    if found is None or (lost is not None and found != lost):
        return
    _fd, _opened = fd, found


def write(line):
    """Writes a line, or a few, in one piece; if nobody reads any more, to nowhere.

    A program may close all descriptors that it does not know. Our number may
    then belong to a file of its own, which must stay untouched.
    """
    global _fd
    if _fd == -1:
        return
    try:
        if _fd is None or _identity(_fd) != _opened:
            _reopen()
            if _fd == -1:
                return
        os.write(_fd, line.encode("ascii"))
    except (OSError, ValueError):
        _fd = -1


def emit(event, **fields):
    """Writes one event; None becomes null, which is unknown."""
    import json

    record = {"sweetspot": 1, "event": event, "t": round(since_start(), 6)}
    record.update(fields)
    try:
        line = json.dumps(record, allow_nan=False) + "\n"
    except (TypeError, ValueError):
        return warn("the event %s could not be written" % event)
    if len(line) > LONGEST:
        return warn("the event %s was too long to write" % event)
    with _lock:
        flush()
        write(line)


def tell_overhead(rank):
    """Writes what watching took so far."""
    emit("overhead", rank=rank, seconds=round(overhead, 6))


ITERATION = (
    '{"sweetspot":1,"event":"iteration","t":%.6f,"rank":%d,"epoch":%d,"index":%d,"seconds":%.9f,"units":%s,"wait":%s}\n'
)


def iteration(t, rank, place, seconds, units, wait):
    """Records the event of an iteration, at its (epoch, index), which is written a little later."""
    with _lock:
        _pending.append((t, rank, place, seconds, units, wait))
        if t - _written >= LATE or len(_pending) >= TOGETHER:
            flush(t)


def flush(now=None):
    """Writes the iterations that wait for it, without the json module, which takes longer."""
    global _pending, _written
    with _lock:
        waiting, _pending = _pending, []
        _written = since_start() if now is None else now
        text = ""
        for t, rank, place, seconds, units, wait in waiting:
            line = ITERATION % (
                t, rank, place[0], place[1], seconds if seconds > 0 else 0.0,
                "null" if units is None else units, "null" if wait is None else "%.9f" % wait,
            )
            if len(text) + len(line) > LONGEST:
                write(text)
                text = ""
            text += line
        if text:
            write(text)


def training(rank, number):
    """A training begins, which has this number among those of the command, from 0."""
    import sys

    script = os.path.abspath(sys.argv[0]) if getattr(sys, "argv", None) else ""
    emit("training", rank=rank, number=number, script=os.sep.join(script.split(os.sep)[-2:])[-200:])


def warn(message, **fields):
    """Writes a warning. It never fails: a warning that cannot be written is dropped."""
    try:
        emit("warning", message=message[:600], **fields)
    except Exception:  # in the last resort the absence of events is noticed
        pass


def after_fork():
    """A forked process opens the stream again. What waits to be written is its parent's."""
    global _fd, _pending, _lock
    _pending, _lock = [], _thread.RLock()
    if _fd is not None and not _where().startswith("fd:"):
        try:
            if _fd >= 0 and _identity(_fd) == _opened:
                os.close(_fd)
        except OSError:
            pass
        _fd = None
