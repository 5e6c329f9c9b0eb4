"""How busy the CPUs of this host are, by the command's processes and by others.

Package probes/load reads the same of sweetspot's own machine.
"""

import json
import os
import time

RARELY, RAREST = 200, 5  # times what a reading takes, and times the interval: with thousands of processes it is slow


class Load:
    def __init__(self, every):
        """A reading is due after so many seconds; 0 for none. This process and all below it are the probe's."""
        self.every, self.due = every, time.monotonic() + every
        self.last = read("/proc", os.getpid()) if every else None

    def take(self, age):
        """The event that is due, as a line; None for none."""
        begin = time.monotonic()
        if self.last is None or begin < self.due:
            return None
        before, self.last = self.last, read("/proc", os.getpid())
        now = time.monotonic()
        self.due = now + max(self.every, min(RARELY * (now - begin), RAREST * self.every))
        shares = since(before, self.last)
        if shares is None:
            return None
        return json.dumps(dict(shares, sweetspot=1, event="load", t=age)).encode() + b"\n"


def since(before, now):
    """The use between two readings, as shares; None where they say nothing."""
    if now is None:
        return None
    busy, idle = now["busy"] - before["busy"], now["idle"] - before["idle"]
    own, below = max(now["own"] - before["own"], 0.0), max(now["below"] - before["below"], 0.0)
    seconds = now["at"] - before["at"]
    if busy < 0 or idle < 0 or busy + idle <= 0 or seconds <= 0:
        return None
    out = {"seconds": seconds, "others": max(busy - own, 0.0) / (busy + idle), "idle": idle / (busy + idle)}
    if now["delays"] is not None and before["delays"] is not None:
        waited = sum(max(s - before["delays"].get(thread, 0.0), 0.0) for thread, s in now["delays"].items())
        out["active"] = min((below + waited) / seconds, 1.0)
    return out


def read(proc, root):
    """CPU time since the host started, in seconds; None where it is not told."""
    fields = words(os.path.join(proc, "stat"))[1:9]  # user nice system idle iowait irq softirq steal
    if len(fields) < 8:
        return None
    tick = 1.0 / os.sysconf("SC_CLK_TCK")
    ticks = [float(word) for word in fields]
    idle = (ticks[3] + ticks[4]) * tick
    out = {"at": time.monotonic(), "busy": sum(ticks) * tick - idle, "idle": idle, "own": 0.0, "below": 0.0}
    ran, _ = delay(os.path.join(proc, str(root)))
    out["delays"] = {} if ran else None  # a kernel that does not count says 0
    parents, used = {}, {}
    for pid in entries(proc):
        fields = words(os.path.join(proc, pid, "stat"), after=")")  # the name, in brackets, may hold anything
        if len(fields) >= 15:
            parents[pid] = fields[1]
            used[pid] = sum(map(float, fields[11:15])) * tick  # its own and that of children it waited for
    for pid in used:
        if is_below(parents, pid, str(root)):
            out["own"] += used[pid]
        if is_below(parents, parents[pid], str(root)):  # no step waits for the root, which is the agent
            out["below"] += used[pid]
            tasks = os.path.join(proc, pid, "task")
            if ran:
                out["delays"].update((thread, delay(os.path.join(tasks, thread))[1]) for thread in entries(tasks))
    return out


def is_below(parents, pid, root):
    """Whether a process is the root or descends from it."""
    for _ in range(100):
        if pid == root or pid is None:
            break
        pid = parents.get(pid)
    return pid == root


def delay(task):
    """For how many seconds a thread ran, and was ready to run and had no CPU."""
    fields = words(os.path.join(task, "schedstat"))
    return (float(fields[0]) / 1e9, float(fields[1]) / 1e9) if len(fields) >= 2 else (0.0, 0.0)


def entries(directory):
    try:
        return [name for name in os.listdir(directory) if name.isdigit()]
    except OSError:  # it has ended
        return []


def words(path, after=""):
    """The words of a file, or of the part behind a character's last place."""
    try:
        with open(path, "rb") as f:
            text = f.read().decode("utf-8", "replace")
    except OSError:
        return []
    return (text.rpartition(after)[2] if after else text).split()
