"""The request to stop: a file of 16 bytes that sweetspot and all ranks share.

    byte 0       1 once sweetspot asks to stop
    byte 1       1 once a process looks at byte 0 at its step boundaries
    bytes 8..15  little-endian: the iteration after which every rank stops, 0 for none yet
"""

import mmap
import os
import struct

SIZE = 16


def most_steps():
    """The step after which the program ends, as sweetspot was told; None for no such."""
    words = os.environ.get("SWEETSPOT_MAX_STEPS", "")
    return int(words) if words.isdigit() else None


class Control:
    def __init__(self):
        self._map = None

    def watch(self):
        path = os.environ.get("SWEETSPOT_CONTROL")
        if not path:
            return
        try:
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                self._map = mmap.mmap(fd, SIZE)
            finally:
                os.close(fd)
        except (OSError, ValueError):
            return  # there are signals
        self._map[1] = 1

    def leave(self):
        """This process no longer checks the request: a stop is left to signals."""
        if self._map is not None:
            self._map[1] = 0

    def asked(self):
        """Whether the program is asked to stop."""
        return self._map is not None and self._map[0] != 0

    def stop_after(self, done, rank, world, ahead):
        """Whether this rank stops after this many iterations.

        A single process stops at once. Several must stop after the same iteration,
        or one would wait forever in a collective for another that has ended.
        Rank 0 picks it: ahead + 1 iterations beyond its own. No other rank can
        be past that one when the number is written. To end iteration n + 1 a
        rank needs rank 0's gradients of it, which rank 0 sends only after it
        has passed here with n; where a rank's host may run before its device,
        it does so by at most ahead iterations. So all ranks come here with the
        picked number after it was written, and none of them comes here later
        than that.
        """
        if not self.asked():
            return False
        if world <= 1:
            return True
        m = self._map
        target = struct.unpack_from("<q", m, 8)[0]
        if target == 0 and rank == 0:
            target = done + ahead + 1
            struct.pack_into("<q", m, 8, target)
        return 0 < target <= done
