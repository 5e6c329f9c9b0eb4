"""The command of a probe: starts it in a session of its own, reads it, stops it, cleans up."""

import errno
import fcntl
import glob
import io
import mmap
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

from frames import EVENTS, EXIT, STDERR, STDOUT, frame

CONTROL_STOP, CONTROL_WATCHED, CONTROL_BYTES = 0, 1, 16
EVENTS_FD = 3  # where the command writes its events
LATE = 0.5  # seconds for which output is still read after the command has ended
LONGEST = 1 << 20  # bytes of an event line; a longer one is passed on in parts and then rejected
PREFIX = "sweetspot-probe-"
LOCK = "lock"


class Trouble(Exception):
    """A sentence for the user: what is wrong, and what to do."""


def remove_stale():
    """Removes the directories of probes that were killed: their locks are released."""
    for path in glob.glob(os.path.join(tempfile.gettempdir(), PREFIX + "*")):
        try:
            lock = take_lock(os.path.join(path, LOCK), 0)
        except OSError:
            continue
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def new_lock(directory):
    """Makes the lock of a directory. It gets its name once it is held: another agent that
    removes what was left behind would take it for one that was released."""
    unnamed = os.path.join(directory, LOCK + ".new")
    lock = take_lock(unnamed, os.O_CREAT)
    os.rename(unnamed, os.path.join(directory, LOCK))
    return lock


def take_lock(path, flag):
    """Opens a file and locks it; fails if another process has locked it."""
    lock = os.open(path, os.O_RDWR | flag, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


class PrivateDirectory:
    """The private directory of the command: its files, the FIFO for its events, the control file."""

    def __init__(self, files):
        remove_stale()
        try:
            self.dir = tempfile.mkdtemp(prefix=PREFIX)
            self._lock = new_lock(self.dir)  # held as long as the agent lives
            if files:
                zipfile.ZipFile(io.BytesIO(files)).extractall(self.dir)
            self.fifo = os.path.join(self.dir, "events")
            self.control = os.path.join(self.dir, "control")
            os.mkfifo(self.fifo, 0o600)
            with open(self.control, "wb") as out:
                out.write(bytes(CONTROL_BYTES))
        except OSError as e:
            raise Trouble(
                "the files of the probe could not be written to %s there (%s); free space or set TMPDIR"
                % (tempfile.gettempdir(), e.strerror)
            )

    def place(self, word):
        return word.replace("{sweetspot-dir}", self.dir)

    def ask_to_stop(self):
        """Writes the request and returns whether the command watches for it."""
        try:
            with open(self.control, "r+b") as f, mmap.mmap(f.fileno(), CONTROL_BYTES) as control:
                control[CONTROL_STOP] = 1
                return control[CONTROL_WATCHED] == 1
        except (OSError, ValueError):
            return False


def dies_with_agent():
    """Makes the kernel end the command when the agent is killed, if it can. Set up before the fork."""
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    return lambda: prctl(1, signal.SIGTERM)


def in_environment():
    """Whether the interpreter that was asked for is of an environment, which is then active for the command, too."""
    return sys.prefix != sys.base_prefix or os.path.isdir(os.path.join(sys.prefix, "conda-meta"))


class Command:
    def __init__(self, argv, env, cwd, files):
        directory = self.directory = PrivateDirectory(files)
        try:
            self._start([directory.place(w) for w in argv], env, os.path.expanduser(cwd or "~"))
        except BaseException:
            shutil.rmtree(directory.dir, ignore_errors=True)
            raise

    def _start(self, argv, env, cwd):
        if not os.path.isdir(cwd):
            raise Trouble("the directory %s to run in does not exist there" % cwd)
        reader = os.open(self.directory.fifo, os.O_RDONLY | os.O_NONBLOCK)
        # Held so that the FIFO does not end between two writers.
        self._held = os.open(self.directory.fifo, os.O_WRONLY | os.O_APPEND)
        os.dup2(self._held, EVENTS_FD)
        self.began = time.monotonic()
        try:
            self._child = subprocess.Popen(
                argv,
                cwd=cwd,
                env=self._environment(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(EVENTS_FD,),
                start_new_session=True,
                preexec_fn=dies_with_agent(),
                bufsize=0,
            )
        except (OSError, ValueError) as e:
            raise Trouble(why_not(argv[0], e))
        finally:
            reserve(EVENTS_FD)
        self.pid = self._child.pid
        self._streams = {reader: EVENTS, self._child.stdout.fileno(): STDOUT, self._child.stderr.fileno(): STDERR}
        self._line = b""  # an event line that has not ended
        self._signals = []  # (when, which), still to be sent
        self._grace = None  # of the stop under way
        self._until = None  # when reading ends
        self.ended = False

    def _environment(self, added):
        out = dict(os.environ, PYTHONUNBUFFERED="1")
        if in_environment():
            own = os.path.join(sys.prefix, "bin")
            out.update(PATH=own + os.pathsep + out.get("PATH", os.defpath), VIRTUAL_ENV=sys.prefix)
        for entry in added:
            key, _, value = entry.partition("=")
            if key == "PYTHONPATH" and os.environ.get(key):
                value += os.pathsep + os.environ[key]  # the host's own follows ours
            out[key] = self.directory.place(value)
        out["SWEETSPOT_EVENTS"] = "fd:%d" % EVENTS_FD
        out["SWEETSPOT_EVENTS_PATH"] = self.directory.fifo
        out["SWEETSPOT_CONTROL"] = self.directory.control
        return out

    def age(self):
        return time.monotonic() - self.began

    def sources(self):
        return list(self._streams)

    def take(self, ready):
        """Reads what arrived and returns it as frames. Events are sent in whole lines: a line cut
        by a lost connection would look like a malformed event."""
        frames = []
        for fd in ready:
            kind = self._streams[fd]
            data = os.read(fd, 1 << 16)
            if not data:
                del self._streams[fd]
            if kind == EVENTS:
                data = self._whole(data)
            if data:
                frames.append(frame(kind, data, self.age()))
        return frames

    def _whole(self, data):
        self._line += data
        end = self._line.rfind(b"\n") + 1
        if not data or len(self._line) - end > LONGEST:
            end = len(self._line)
        whole, self._line = self._line[:end], self._line[end:]
        return whole

    def stop(self, grace):
        """Asks by the control file if the command watches it, else by SIGINT; after the
        grace period, in seconds, by the next of SIGINT, SIGTERM and SIGKILL. A later call with
        a shorter one takes effect immediately."""
        now = time.monotonic()
        if self._grace is None:
            first = now + (grace if self.directory.ask_to_stop() else 0)
            left = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
        elif grace < self._grace and self._signals:
            first = min(self._signals[0][0], now + grace)
            left = [s for _, s in self._signals]
        else:
            return
        self._grace = grace
        self._signals = [(first + i * grace, s) for i, s in enumerate(left)]

    def tick(self):
        """Does what is due. The command has ended once self.ended is set."""
        now = time.monotonic()
        if self._until is None and self._child.poll() is not None:
            self._group(signal.SIGKILL)  # processes it left behind end with it
            os.close(self._held)
            self._signals = []
            self._until = now + LATE
        while self._signals and self._signals[0][0] <= now:
            self._group(self._signals.pop(0)[1])
        if self._until is not None and (not self._streams or now > self._until):
            self.ended = True
            shutil.rmtree(self.directory.dir, ignore_errors=True)

    def _group(self, which):
        try:
            os.killpg(self.pid, which)
        except OSError:
            pass  # it has ended by itself

    def succeeded(self):
        return self._child.returncode == 0

    def exit(self):
        """The frame that says how the command ended."""
        code = self._child.returncode
        fields = '{"code":%d,"signaled":%s}' % (code if code >= 0 else 128 - code, "false" if code >= 0 else "true")
        return frame(EXIT, fields.encode(), self.age())


def reserve(fd):
    """Opens the null device as a descriptor, so that nothing else gets its number."""
    null = os.open(os.devnull, os.O_RDWR)
    if null != fd:
        os.dup2(null, fd, inheritable=False)
        os.close(null)


def why_not(name, error):
    code = getattr(error, "errno", None)
    if code == errno.ENOENT and os.sep not in name:
        return 'there is no program "%s" on the PATH there; check its name or give its full path' % name
    if code == errno.ENOENT:
        return "%s or its interpreter does not exist there; check its path and first line" % name
    if code == errno.EACCES:
        return "%s is not executable there; chmod +x it or put its interpreter before it" % name
    if code == errno.ENOEXEC:
        return "%s is not a program for that machine; put its interpreter before it" % name
    return "%s could not be started there: %s" % (name, error)
