"""Steps that do nothing, recorded and not in turn; prints the seconds of one step of either kind.

python3 overhead.py STEPS
"""

import statistics
import sys
import time

import torch
from torch.utils.data import DataLoader

import sweetspot_hook

torch.set_num_threads(1)


class Idle(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {})

    def step(self, closure=None):
        pass


def main():
    steps = int(sys.argv[1])
    optimizer = Idle([torch.nn.Parameter(torch.zeros(1))])
    loader = DataLoader(list(range(1000)), batch_size=1)

    def block():
        n, begin = 0, time.perf_counter()
        for _ in loader:
            optimizer.step()
            n += 1
        return (time.perf_counter() - begin) / n

    block()
    pairs = []
    for _ in range(max(1, steps // 1000)):
        sweetspot_hook.recording(False)
        off = block()
        sweetspot_hook.recording(True)
        pairs.append((block(), off))
    print(statistics.median(on for on, _ in pairs), statistics.median(off for _, off in pairs))


main()
