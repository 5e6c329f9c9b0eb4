"""The record of a probe of a job: every frame, for whoever follows it, on a file system that its hosts share."""

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


def state():
    """The folder for what programs keep."""
    given = os.environ.get("XDG_STATE_HOME", "")
    return given if os.path.isabs(given) else os.path.expanduser("~/.local/state")


class Spool:
    def __init__(self, name, root):
        if not re.fullmatch("[0-9a-f]{8,64}", name):
            raise Trouble("%r is not the name of a probe" % name)
        self.name = name
        self.dir = os.path.join(root, name)
        self._file = None
        self._whole = 0  # bytes of the frames written whole
        self._logged = 0

    def path(self, name):
        return os.path.join(self.dir, name)

    def exists(self):
        return os.path.exists(self.path("frames"))

    def create(self):
        try:
            os.makedirs(self.dir, 0o700)
            self._file = os.open(self.path("frames"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(self.path("spare"), "wb") as out:
                out.write(bytes(SPARE))
        except OSError as e:
            self.remove()  # there is nothing to follow in it
            raise Trouble(
                "the spool %s could not be created there (%s); free space there, name another folder with --spool or "
                "set XDG_STATE_HOME"
                % (self.dir, e.strerror)
            )

    def kept(self):
        """Whether the process that writes it is alive, as far as that can be told in one look."""
        return self.read("ended") is None and time.time() - os.path.getmtime(self.path("frames")) < STALE

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
        following = "%s%02x" % (self.name[:-2], int(self.name[-2:], 16) + 1)
        return os.path.isdir(os.path.join(os.path.dirname(self.dir), following))

    def attached(self):
        """The note that opens a replay."""
        return note(attached={"elapsed": self.elapsed(), "restarts": self.read("restarts") or 0})

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def failed(kind, payload):
    """Whether the frame says that the command could not be started."""
    return kind == NOTE and "failed" in json.loads(payload.decode())
