"""The frames that the agent and sweetspot exchange: a kind, a time and bytes."""

import json
import struct

HEAD = struct.Struct(">cIQ")  # kind, length of what follows, microseconds since the command began

# To sweetspot: three streams of the command, notes of the agent, and the end.
EVENTS, STDOUT, STDERR, NOTE, EXIT = b"e", b"o", b"r", b"n", b"x"
# From sweetspot: a request to stop, a heartbeat, and that the scheduler no longer knows a job to run.
STOP, ALIVE, GONE = b"s", b"a", b"g"


def frame(kind, payload, seconds=0.0):
    return HEAD.pack(kind, len(payload), max(0, int(seconds * 1e6))) + payload


def note(seconds=0.0, **fields):
    return frame(NOTE, json.dumps(fields).encode(), seconds)


class Splitter:
    """Collects bytes as they arrive and yields complete frames."""

    def __init__(self):
        self.kept = bytearray()

    def feed(self, data):
        """Yields (kind, payload, the whole frame)."""
        self.kept += data
        while len(self.kept) >= HEAD.size:
            kind, length, _ = HEAD.unpack_from(self.kept)
            end = HEAD.size + length
            if len(self.kept) < end:
                return
            whole = bytes(self.kept[:end])
            del self.kept[:end]
            yield kind, whole[HEAD.size :], whole
