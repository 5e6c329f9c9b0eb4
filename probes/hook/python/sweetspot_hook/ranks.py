"""Which process of a data-parallel training this is."""

import os


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
    """Whether this process is the first to train as this rank.

    A program may train in several independent processes. Their times mixed
    together would mean nothing, so only one of them reports.
    """
    try:
        os.close(os.open(os.path.join(here, "rank-%d" % rank), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except OSError:
        pass  # nowhere to claim it: take it
    return True
