"""Jobs of a host without a scheduler: each is a process of its own, which outlives the connection that began it."""

import fcntl
import os
import signal
import time

from command import Trouble
from facts import gather
from frames import EXIT, frame, note
from job import job, last_of
from link import wait
from spool import state

TICK = 0.05  # seconds between two looks at jobs that are to end
ENDING = 30.0  # seconds in which a job ends: its command may be deaf to all but the last signal
BEGINNING = 60.0  # seconds after which a job that has no number yet never began


def answer(link, value):
    link.send(note(answer=value))
    link.send(frame(EXIT, b'{"code":0,"signaled":false}'))


def lodge(header, _, link):
    """Where the spools of jobs are, and what the host is."""
    answer(link, {"root": usual(), "facts": gather(header["metadata"])})


def usual():
    """The folder of spools where none is named."""
    return os.path.join(state(), "sweetspot", "queue")


def submit(header, files, link, fork_keeper, keep):
    """Begins a job, unless one of that name was begun before."""
    lock = Lock(header["root"], header["job"])
    if lock.take():
        reader, writer = os.pipe()
        if fork_keeper():
            lock.sign()
            os.close(writer)
            log = os.open(lock.path("log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            for fd in (1, 2):
                os.dup2(log, fd)
            try:
                job(header, files, keep)
            finally:
                lock.end()
            raise SystemExit(0)  # the answer is the other process's
        os.close(writer)
        os.read(reader, 1)  # until it has its number
        lock.release()
    answer(link, {"id": str(lock.pid() or "")})


def look(header, _, link):
    """The states of those of the jobs that were begun here."""
    locks = [Lock(header["root"], name) for name in header["names"]]
    answer(link, {lock.name: lock.looked() for lock in locks if lock.exists()})


def cancel(header, _, link):
    """Ends jobs, and waits until they have."""
    locks = [lock for lock in (Lock(header["root"], name) for name in header["names"]) if lock.held()]
    for lock in locks:
        if lock.pid():
            os.kill(lock.pid(), signal.SIGTERM)
    until = time.monotonic() + ENDING
    while link.open and time.monotonic() < until and any(lock.held() for lock in locks):
        wait([], link, TICK)
    answer(link, {})


class Lock:
    """The file that a job holds locked as long as it runs, with the number of its process. Nothing else keeps it."""

    def __init__(self, root, name):
        self.root, self.name, self._file = root or usual(), name, None

    def path(self, kind):
        return os.path.join(self.root, "%s.%s" % (self.name, kind))

    def exists(self):
        return os.path.exists(self.path("lock"))

    def take(self):
        """Locks it for a job to begin; false if one was begun before."""
        try:
            if not os.path.isdir(self.root):
                os.makedirs(self.root, 0o700, exist_ok=True)
            try:
                self._file = os.open(self.path("lock"), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                return False
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError as e:
            raise Trouble(
                "the folder %s could not be written there (%s); free space there or set XDG_STATE_HOME"
                % (self.root, e.strerror)
            )
        return True

    def sign(self):
        os.write(self._file, b"%d" % os.getpid())

    def release(self):
        """Leaves it to the process that was forked."""
        os.close(self._file)

    def end(self):
        """Notes that the job ended, and was not killed."""
        try:
            with open(self.path("over"), "wb"):
                pass
        except OSError:
            pass  # then it counts as killed

    def pid(self):
        try:
            with open(self.path("lock"), "rb") as f:
                text = f.read(20)
        except OSError:
            return None
        return int(text) if text.isdigit() else None

    def held(self):
        """Whether the job runs."""
        try:
            fd = os.open(self.path("lock"), os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            age = time.time() - os.fstat(fd).st_mtime
            os.close(fd)
        return self.pid() is None and age < BEGINNING

    def looked(self):
        runs = self.held()  # asked first: what was written last is then read
        over = os.path.exists(self.path("over"))
        said = last_of(self.path("log")) if over else ""
        return {"id": str(self.pid() or ""), "runs": runs, "over": over, "said": said}
