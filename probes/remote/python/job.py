"""A scheduler's job: probes one after the other, each with a spool in a folder that all hosts share."""

import json
import os
import shutil
import signal
import sys
import threading
import time

from command import Trouble
from frames import EXIT, GONE, frame
from link import wait
from spool import SPARE, Spool

BEAT = 1.0  # seconds between two heartbeats
LOOK = 0.2  # seconds between two looks for a spool
NEAR = "the time limit of the job is near"
CUT = "the job was cancelled or preempted"


def job(header, files, keep):
    """Runs the probes. A job that the scheduler starts again goes on with those that did not end."""
    ending = []  # why
    signal.signal(signal.SIGUSR1, lambda *_: ending.append(NEAR))
    signal.signal(signal.SIGTERM, lambda *_: ending.append(CUT))
    beat = Beat(os.path.join(header["root"], header["job"] + ".alive"))
    spare = os.path.join(header["root"], header["job"] + ".spare")
    try:
        if not claim(header):
            sys.exit("another job does this already")
        reserve(spare)
        beat.start()
        for probe in header["probes"]:
            spool = None if ending else next_attempt(probe["spool"], header["root"])
            if spool is None:
                continue
            spool.create()
            spool.write("restarts", restarts())
            beat.watched = spool
            at = probe["files"]
            keep(dict(header, **probe), files[at[0] : at[1]], spool, ending)
    except Trouble as e:
        leave(spare, str(e))
    except OSError as e:
        leave(spare, "the record could not be written to %s (%s); free space there" % (header["root"], e.strerror))
    if ending:
        sys.exit(ending[0])  # the reason for the probes that are left


def reserve(path):
    """Keeps room for the last words of the job where its file system may be full by then."""
    if not os.path.exists(path):  # whoever submitted it may have done so
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(bytes(SPARE))


def leave(spare, why):
    """Ends the job; its log, on the same file system, says why."""
    if os.path.exists(spare):
        os.unlink(spare)
    sys.exit(why)


def restarts():
    """How often the scheduler has begun this job again."""
    count = os.environ.get("SLURM_RESTART_COUNT", "0")
    return int(count) if count.isdigit() else 0


def claim(header):
    """Whether this job may do it: submitted twice by a connection that was cut, only one does."""
    path = os.path.join(header["root"], header["job"] + ".claim")
    own = (os.environ.get("SLURM_JOB_ID") or os.environ.get("SKYPILOT_TASK_ID", "")).encode()
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(own)
        return True
    except FileExistsError:
        with open(path, "rb") as f:
            return f.read() == own


def next_attempt(name, root):
    """The spool to run a probe with; None if it has ended."""
    for attempt in range(256):
        spool = Spool("%s%02x" % (name, attempt), root)
        if not os.path.isdir(spool.dir):
            return spool
        if spool.read("ended") is not None:
            return None
    return None


class Beat:
    """Touches a file of the job and one of the probe under way: a lock does not reach other hosts."""

    def __init__(self, path):
        self.path = path
        self.watched = None  # the spool

    def start(self):
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            for path in [self.path] + ([self.watched.path("alive")] if self.watched else []):
                try:
                    with open(path, "ab"):
                        os.utime(path)
                except OSError:
                    pass  # the file system may come back
            time.sleep(BEAT)


class Pulse:
    """Whether anyone still writes: not, once the scheduler runs no such job and nothing beats any more."""

    def __init__(self, path, link, quiet, spool=None):
        self.path, self.link, self.quiet = path, link, quiet
        self.spool, self.gone = spool, False
        self.last, self.heard = None, time.monotonic()

    def listen(self):
        """What the scheduler says: that the job has ended, or that it was begun again since the spool was."""
        for payload in self.link.take(GONE):
            said = json.loads(payload.decode())
            self.gone = said["gone"]
            if self.spool is not None and said["restarts"] > (self.spool.read("restarts") or 0):
                self.gone = True

    def beats(self):
        self.listen()
        if self.gone and self.spool is not None and self.spool.read("cut"):
            return False
        try:
            now = os.stat(self.path).st_mtime_ns
        except OSError:
            now = None
        if now != self.last:
            self.last, self.heard = now, time.monotonic()
        return not self.gone or time.monotonic() - self.heard < self.quiet


def watch(header, link, follow):
    """Follows a spool that may be yet to come."""
    spool = Spool(header["spool"], header["root"])
    pulse = Pulse(os.path.join(header["root"], header["job"] + ".alive"), link, header["quiet"])
    while not spool.exists():
        if not pulse.beats():
            raise Trouble(last_line(os.path.join(header["root"], header["job"] + ".log")))
        wait([], link, LOOK)
        if not link.open:
            return
    link.send(spool.attached())
    pulse = Pulse(spool.path("alive"), link, header["quiet"], spool)
    follow(spool, link, pulse.beats, lambda: own_words(os.path.join(header["root"], header["job"] + ".log")))


def own_words(path):
    """The last thing that the job itself said of its record, not Slurm nor a script."""
    line = last_of(path)
    return line if "free space there" in line else ""


def last_of(path):
    """The last line of a file; "" where there is none."""
    try:
        with open(path, "rb") as f:
            lines = f.read()[-4096:].decode("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:300] if lines else ""


def last_line(path):
    """The last thing that was said in a job's log, or why there is nothing."""
    line = last_of(path)
    if line:
        return line
    try:
        full = os.statvfs(os.path.dirname(path)).f_bavail == 0
    except OSError:
        full = False
    if full:  # it could not even say so
        return "the file system of %s is full; free space there" % os.path.dirname(path)
    return "the job ended before it"


def clear(header, _, link):
    """Removes what the jobs of a matrix left behind."""
    root, key = header["root"], Spool(header["spool"], header["root"]).name
    for name in os.listdir(root) if os.path.isdir(root) else []:
        path = os.path.join(root, name)
        if not name.startswith(key):
            continue
        if os.path.isdir(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
    link.send(frame(EXIT, b'{"code":0,"signaled":false}'))
