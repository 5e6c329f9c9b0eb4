"""The agent: runs a probe's command on this host and carries its streams to sweetspot.

It is sent through an ssh connection and runs on the standard library alone. Its input is one
line of JSON, the zipped files of the command, and then frames; its output is a mark line, by
which it differs from what a login shell prints, and then frames.
"""

import json
import os
import signal
import sys
import threading
import time

from command import EVENTS_FD, Command, Trouble, reserve
from facts import gather
from frames import EVENTS, EXIT, STOP, Splitter, frame, note
from host import cancel, lodge, look, submit
from interpreter import place
from job import CUT, clear, job, watch
from link import Link, wait
from load import Load
from spool import failed

TICK = 0.05  # seconds between polls of what sends no signal


def main():
    header = json.loads(sys.stdin.buffer.readline().decode())
    files = sys.stdin.buffer.read(header["files"])
    header["root"] = os.path.expanduser(header["root"])
    reserve(EVENTS_FD)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    if header["task"] == "job":
        job(header, files, keep)
        return
    os.write(1, ("\n%s\n" % header["mark"]).encode())
    link = Link(header["silence"])
    try:
        link.wait_for_first()  # if sweetspot gave up meanwhile, nothing must start
        if header["task"] == "watch":
            watch(header, link, follow)
        elif header["task"] == "submit":
            submit(header, files, link, fork_keeper, keep)
        else:
            tasks = {"run": run, "clear": clear, "lodge": lodge, "look": look, "cancel": cancel}
            tasks[header["task"]](header, files, link)
    except Trouble as e:
        link.send(note(failed=str(e)))
    link.finish()


def run(header, files, link):
    carry(begin(header, files, link.send), link, header)


def begin(header, files, send):
    """Starts the command; sends the facts of this host and that it started."""
    facts = {}
    gathering = threading.Thread(target=lambda: facts.update(gather(header["metadata"])), daemon=True)
    gathering.start()
    argv = place(header["argv"], header["python"])
    gathering.join()
    send(note(facts=facts))
    command = Command(argv, header["env"], header["dir"], files)
    send(note(command.age(), started={"pid": command.pid}))
    return command


def over(command, header):
    return 0 < header["limit"] < command.age()


def carry(command, link, header):
    """Carries the streams until the command has ended; a lost connection ends it."""
    load = Load(header["load"])
    while not command.ended:
        sources = [] if link.full() else command.sources()
        for data in command.take(wait(sources, link, TICK)) + readings(load, command):
            link.send(data)
        for payload in link.take(STOP):
            command.stop(json.loads(payload.decode())["grace"])
        if not link.open or over(command, header):
            command.stop(header["grace"])
        command.tick()
    link.send(command.exit())


def readings(load, command):
    """The reading of the load that is due, as a frame."""
    line = load.take(command.age())
    return [frame(EVENTS, line, command.age())] if line else []


def fork_keeper():
    """Forks a process that outlives the connection; true in that process."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return False
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    return True


def keep(header, files, spool, ending=()):
    """Runs the command and writes its streams to the spool, whether or not anyone is connected. It is
    stopped once the last argument holds a reason."""
    try:
        command = begin(header, files, spool.append)
    except Trouble as e:
        spool.append(note(failed=str(e)))
        spool.write("ended", 0.0)
        return
    full = None
    try:
        spool.write("began", time.time() - command.age())
    except OSError as e:
        full = e
    load = Load(header["load"])
    while not command.ended:
        for data in command.take(wait(command.sources(), None, TICK)) + readings(load, command):
            try:
                spool.append(data)
            except OSError as e:
                full = e
        asked = spool.read("stop")
        if asked is not None:
            command.stop(asked)
        if full is not None or ending or over(command, header):
            command.stop(header["grace"])  # output that cannot be kept is useless
        command.tick()
    if full is not None:
        spool.make_room()
        spool.append(note(command.age(), broken="it could not be written there (%s); free space there" % full.strerror))
    if CUT in ending:
        spool.write("cut", CUT)  # it may be begun again, and goes on then
        return
    if ending and not command.succeeded():  # not by a fault of its own
        spool.append(note(command.age(), broken=ending[0]))
    spool.append(command.exit())
    spool.write("ended", command.age())


def follow(spool, link, is_kept, last_words):
    """Sends the spool from its beginning, including what is added until the command ends. Of one that was cut
    off, the last words of its job may say why."""
    splitter = Splitter()
    finished = False
    with open(spool.path("frames"), "rb", buffering=0) as frames:
        while link.open and not finished:
            kept = is_kept()  # asked first: what was written last is then read
            data = b"" if link.full() else frames.read(1 << 18)
            for kind, payload, whole in splitter.feed(data):
                if kind == EXIT and spool.has_next():
                    link.send(note(next=True))  # the scheduler gave the job up, which went on in spite of it
                link.send(whole)
                if failed(kind, payload):
                    return
                finished = kind == EXIT
            if not data and not kept and not link.full():
                said = last_words()
                why = said or "it was cut off: the process that keeps the record was killed, or the host restarted"
                link.send(note(broken=why, cut=not said, next=spool.has_next()))
                link.send(frame(EXIT, b"{}"))
                return
            wait([], link, 0 if data else TICK)
            for payload in link.take(STOP):
                spool.write("stop", json.loads(payload.decode())["grace"])
