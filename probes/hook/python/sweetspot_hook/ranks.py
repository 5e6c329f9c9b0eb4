"""Which process of a data-parallel training this is."""

import os
from time import monotonic


def place(torch):
    """(rank, number of ranks)."""
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    rank, world = _number("RANK"), _number("WORLD_SIZE")
    if rank is None or world is None or not 0 <= rank < world:
        return 0, 1
    return rank, world


def hosts(world):
    """How many hosts the launcher put the ranks on; None where it does not say."""
    for name in ("GROUP_WORLD_SIZE", "CROSS_SIZE"):  # torchrun, and accelerate through it; deepspeed
        n = _number(name)
        if n is not None and 1 <= n <= world:
            return n
    for name in ("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"):
        n = _number(name)
        if n is not None and 1 <= n <= world:
            return -(-world // n)
    n = _number("SLURM_STEP_NUM_NODES")
    return n if n is not None and 1 <= n <= world else None


def _number(name):
    try:
        return int(os.environ[name])
    except (KeyError, ValueError):
        return None


def claim(here, rank):
    """The number of the training, from 0, if this process is the first that trains in it as this rank, and when the one
    before was claimed; else None and None.

    A command may train in several independent processes at once. Their times mixed together
    would mean nothing, so only one of them reports. A further training begins once that has ended.
    """
    before = None
    for number in range(MOST):
        path = os.path.join(here, "rank-%d.%d" % (rank, number))
        try:
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            before = _ended(path)
            if before is None:
                break
        except OSError:
            return 0, None  # nowhere to claim it: take it
        else:
            os.write(fd, b"%d %r" % (os.getpid(), monotonic()))
            os.close(fd)
            return number, before
    return None, None


MOST = 1000  # trainings of a command


def _ended(path):
    """When the training was claimed, if its process has ended. One that cannot be told counts as running."""
    try:
        with open(path) as f:
            pid, at = f.read().split()
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return float(at)
    except (OSError, ValueError):
        pass
    return None
