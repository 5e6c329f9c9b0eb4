"""The connection to sweetspot: standard input and output, neither of which ever blocks."""

import os
import select
import time

from frames import ALIVE, Splitter

FULL = 4 << 20  # with this many bytes waiting to be sent, nothing more is read from the command


def wait(readers, link, seconds):
    """Waits until one of the descriptors can be read or the link can send or receive; returns the descriptors."""
    poll = select.poll()
    for fd in readers:
        poll.register(fd, select.POLLIN)
    if link is not None and link.open:
        poll.register(0, select.POLLIN)
        poll.register(1, select.POLLOUT if link.out else 0)
    ready = [fd for fd, _ in poll.poll(seconds * 1000)]
    if link is not None:
        link.move(ready)
    return [fd for fd in ready if fd in readers]


class Link:
    def __init__(self, silence):
        """The connection counts as lost after this many seconds without a heartbeat."""
        for fd in (0, 1):
            os.set_blocking(fd, False)
        self.out = bytearray()
        self.open = True
        self.requests = []  # (kind, payload), oldest first
        self._silence = silence
        self._heard = time.monotonic()
        self._splitter = Splitter()

    def send(self, data):
        if self.open:
            self.out += data

    def full(self):
        return len(self.out) > FULL

    def move(self, ready):
        if 1 in ready:
            self._write()
        if 0 in ready:
            self._read()
        if time.monotonic() - self._heard > self._silence:
            self.close()

    def _write(self):
        try:
            while self.out:
                del self.out[: os.write(1, bytes(self.out[: 1 << 16]))]
        except BlockingIOError:
            return
        except OSError:
            self.close()

    def _read(self):
        try:
            data = os.read(0, 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        self._heard = time.monotonic()
        self.requests += [(kind, payload) for kind, payload, _ in self._splitter.feed(data)]

    def take(self, wanted):
        """The payloads of the requests of a kind, oldest first, which are removed."""
        found = [payload for kind, payload in self.requests if kind == wanted]
        self.requests = [r for r in self.requests if r[0] not in (wanted, ALIVE)]
        return found

    def wait_for_first(self):
        """Waits for the first heartbeat."""
        while not self.requests:
            wait([], self, 1)
            if not self.open:
                raise SystemExit(0)
        del self.requests[0]

    def close(self):
        self.open = False
        self.out.clear()

    def finish(self):
        """Sends what is left."""
        while self.open and self.out:
            wait([], self, 1)
