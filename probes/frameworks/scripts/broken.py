"""Breaks the hook in one place after the other, and trains as if nothing were amiss.

python3 broken.py CHECKPOINT

Prints each place and whether the hook gave up there, in the process or in one
that it forked. Fails where the training notices.
"""

import contextlib
import os
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

from sweetspot_hook import events, loaders, patches, phases

torch.set_num_threads(1)

recorder = patches.recorder
data = TensorDataset(torch.randn(12, 4), torch.randn(12, 1))


def fail(*_args, **_kwargs):
    raise ZeroDivisionError("a defect")


class Broken:
    """Fails whatever is asked of it."""

    __getattr__ = __bool__ = __iter__ = fail


class BrokenLater:
    """torch, until the training has begun."""

    def __getattr__(self, name):
        return getattr(torch, name) if recorder.count == 0 else fail()


class Sealed:
    """Facts that take no more."""

    __slots__ = ()
    watched = ()


@contextlib.contextmanager
def broken(holder, name, value=fail):
    had, kept = name in vars(holder), getattr(holder, name)
    setattr(holder, name, value)
    try:
        yield
    finally:
        if had:
            setattr(holder, name, kept)
        else:
            delattr(holder, name)


# Entered once the recorder is as before the first step.
PLACES = {
    "nowhere": contextlib.nullcontext,
    "a class of optimizers is wrapped": lambda: broken(patches, "_step"),
    "an optimizer is built": lambda: broken(recorder, "optimizers", Broken()),
    "a pass is to begin": lambda: broken(recorder, "clock", Broken()),
    "a pass has begun": lambda: broken(loaders, "Pass"),
    "a batch has come": lambda: broken(loaders.Pass, "add"),
    "mixed precision begins": lambda: broken(recorder, "facts", Sealed()),
    "a forward pass begins": lambda: broken(recorder, "torch", Broken()),
    "a step begins": lambda: broken(recorder, "inside", Broken()),
    "a step has ended": lambda: broken(recorder, "control", Broken()),
    "a pass has ended": lambda: broken(recorder, "torch", BrokenLater()),
    "the mode changes": lambda: broken(phases, "Phase"),
    "a validation asks for a batch": lambda: broken(phases.Phase, "asking"),
    "a checkpoint is to be written": lambda: broken(recorder, "is_training"),
    "a checkpoint was written": lambda: broken(recorder, "_tell_pause"),
    "a process forks": lambda: broken(events, "after_fork"),
}


def train(path):
    """All that is watched; what the program sees of it, and whether a forked process gave up."""

    class Own(torch.optim.SGD):
        def step(self, closure=None):
            super().step(closure)
            return "stepped"

    model = torch.nn.Linear(4, 1)
    optimizer = Own(model.parameters(), lr=0.01)
    learning, test = DataLoader(data, batch_size=4), DataLoader(data, batch_size=6)
    seen = []
    for _ in range(2):
        for x, y in learning:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = torch.nn.functional.mse_loss(model(x).float(), y)
            loss.backward()
            seen += [len(x), optimizer.step()]
        with torch.no_grad():
            seen += [len(model(x)) for x, _ in test]
            model.eval()
            seen += [len(model(x)) for x, _ in test]
            seen.append(model.training)
            model.train()
        torch.save(model.state_dict(), path)
    seen += [model.training, len(torch.load(path))]
    pid = os.fork()
    if pid == 0:
        os._exit(1 if recorder.off else 0)
    return seen, os.waitpid(pid, 0)[1] != 0


def before_first_step():
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(recorder.here, "rank-0.0"))
    recorder.reset()
    torch.nn.modules.module._global_forward_pre_hooks.clear()
    patches._first_forward(recorder, torch)


expected = [4, "stepped"] * 3 + [6, 6, 6, 6, False]
for place, breaking in PLACES.items():
    before_first_step()
    with breaking():
        seen, forked = train(sys.argv[1])
    assert seen == 2 * expected + [True, 2], (place, seen)
    print("%s: %s" % (place, recorder.off or forked))
before_first_step()
recorder.finish = fail  # at the end of the program
