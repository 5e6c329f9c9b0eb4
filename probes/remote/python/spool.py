"""A detached probe's record on its host: every frame, for clients that attach later."""

import fcntl
import json
import os
import re
import shutil
import time

from command import Trouble
from frames import NOTE, STDERR, STDOUT, note

LOGGED = 64 << 20  # bytes of output that are kept; events are always kept
SPARE = 16 << 10  # bytes reserved on the disk to report that it is full
STALE = 120.0  # seconds without one after which, whatever a file system kept in a cache, nobody writes


class Spool:
    def __init__(self, name, root=""):
        """With a root, a folder that several hosts share, the writer may be on another host."""
        if not re.fullmatch("[0-9a-f]{8,64}", name):
            raise Trouble("%r is not the name of a detached probe" % name)
        state = os.environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(state):
            state = os.path.expanduser("~/.local/state")
        self.name = name
        self.shared = bool(root)
        self.dir = os.path.join(root or os.path.join(state, "sweetspot", "spool"), name)
        self._file = None
        self._whole = 0  # bytes of the frames written whole
        self._logged = 0

    def path(self, name):
        return os.path.join(self.dir, name)

    def exists(self):
        return os.path.exists(self.path("frames"))

    def create(self, memo):
        """Creates the spool and marks it as kept by this process and its forks."""
        try:
            os.makedirs(self.dir, 0o700)
            self._file = os.open(self.path("frames"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._lock = os.open(self.path("lock"), os.O_WRONLY | os.O_CREAT, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self.write("memo", memo)
            with open(self.path("spare"), "wb") as out:
                out.write(bytes(SPARE))
        except OSError as e:
            self.remove()  # there is nothing to follow in it
            other = "name another folder with --spool" if self.shared else "set XDG_STATE_HOME"
            raise Trouble("the spool %s could not be created there (%s); free space there or %s" % (self.dir, e.strerror, other))

    def release(self):
        """Leaves the spool to the process that was forked."""
        os.close(self._file)
        os.close(self._lock)

    def kept(self):
        """Whether the process that writes it is alive, as far as that can be told in one look."""
        if self.shared:
            return self.read("ended") is None and time.time() - os.path.getmtime(self.path("frames")) < STALE
        lock = os.open(self.path("lock"), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(lock)
        return False

    def append(self, data):
        """Writes a frame, or nothing if it does not fit."""
        if data[:1] in (STDOUT, STDERR):
            self._logged += len(data)
            if self._logged > LOGGED:
                return
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            os.ftruncate(self._file, self._whole)
            os.lseek(self._file, self._whole, os.SEEK_SET)
            raise
        self._whole += len(data)

    def make_room(self):
        os.unlink(self.path("spare"))

    def write(self, name, value):
        """Writes a small JSON file atomically."""
        draft = self.path(name + ".%d" % os.getpid())
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            json.dump(value, out)
        os.replace(draft, self.path(name))

    def read(self, name):
        try:
            with open(self.path(name)) as f:
                return json.load(f)
        except (OSError, ValueError):
            return None

    def elapsed(self):
        """Seconds the command has run."""
        ended = self.read("ended")
        if ended is not None:
            return ended
        began = self.read("began")
        if began is None:
            return 0.0
        until = time.time() if self.kept() else os.path.getmtime(self.path("frames"))
        return max(0.0, until - began)

    def has_next(self):
        """Whether the probe was begun again, in another attempt."""
        if not self.shared:
            return False
        following = "%s%02x" % (self.name[:-2], int(self.name[-2:], 16) + 1)
        return os.path.isdir(os.path.join(os.path.dirname(self.dir), following))

    def attached(self):
        """The note that opens a replay."""
        return note(attached={"elapsed": self.elapsed(), "memo": self.read("memo"), "restarts": self.read("restarts") or 0})

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def failed(kind, payload):
    """Whether the frame says that the command could not be started."""
    return kind == NOTE and "failed" in json.loads(payload.decode())
