"""What this machine is, from files and the interpreter."""

import os
import sys


def hello():
    """The fields of the first hello, before a framework is imported."""
    return {
        "pid": os.getpid(),
        "hook": True,
        "host": os.uname().nodename,
        "python": "%d.%d.%d" % sys.version_info[:3],
        "cpu": _cpu(),
        "cpus": os.cpu_count(),
    }


def node():
    """What tells this host from others: its name, the boot of its kernel and its network.

    Containers may share a name, as may hosts, and two networks on one host are as
    far apart as two hosts are.
    """
    parts = [os.uname().nodename]
    try:
        with open("/proc/sys/kernel/random/boot_id") as f:
            parts.append(f.read().strip())
        parts.append(os.readlink("/proc/self/ns/net"))
    except OSError:
        pass
    import zlib

    return "%s-%08x" % (parts[0], zlib.crc32(" ".join(parts).encode("utf-8", "replace")))


def _cpu():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return None


def driver():
    """The version of the NVIDIA driver, or None."""
    try:
        with open("/proc/driver/nvidia/version") as f:
            words = f.readline().split()
    except OSError:
        return None
    for word in words:
        if word[0].isdigit() and word.count(".") >= 1 and word.replace(".", "").isdigit():
            return word
    return None


def gpus(torch, indices):
    """The devices of these indices, as a hello lists them."""
    listed = []
    for index in sorted(indices):
        p = torch.cuda.get_device_properties(index)
        uuid = getattr(p, "uuid", None)
        listed.append({"name": p.name, "memory_bytes": p.total_memory, "uuid": str(uuid) if uuid else None})
    return listed
