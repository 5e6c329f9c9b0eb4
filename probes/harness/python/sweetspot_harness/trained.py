"""Trained weights for the examples, and fine-tuning after a pruning.

An accuracy means something only for a trained network. The examples are trained
once, on Fashion-MNIST, and kept in the user's cache. A probe that ends before
the training does leaves its state there, and the next one resumes it.
"""

import contextlib
import hashlib
import os
import tempfile

from . import dataset, events, stopping
from .loading import Problem, describe

EPOCHS = 2
_BATCH, _RATE, _SEED = 128, 1e-3, 1


def load_or_train(run, name, source):
    """Loads the trained weights of an example's network; source is the file that defines it."""
    import torch

    path = _place(name, source)
    try:
        run.model.load_state_dict(_read(path, run.device))
        return
    except FileNotFoundError:
        pass
    except Exception as err:
        events.log("the trained weights in %s cannot be used (%s); training again" % (path, describe(err)))
    events.log("training %s once for %d epochs on Fashion-MNIST, to be kept in %s" % (name, EPOCHS, path))
    begun = path + ".begun"
    train(run, EPOCHS, begun)
    try:
        _write(path, run.model.state_dict())
        with contextlib.suppress(OSError):
            os.unlink(begun)
    except OSError as err:
        events.warn("the trained weights cannot be kept in %s (%s); the next probe trains again" % (path, err.strerror))


def train(run, epochs, begun=None):
    """Trains with Adam on the training part of Fashion-MNIST.

    begun is the file for the state of a training that is stopped; resumed, it
    gives the same result as without a stop.
    """
    import torch

    if not run.is_fashion_mnist():
        raise Problem(
            "fine-tuning needs a training set, and Fashion-MNIST is the only one here; it does not fit this model"
        )
    data = dataset.FashionMNIST("train", run.options.data_dir)
    loss = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(run.model.parameters(), lr=_RATE)
    context = _fast_context(run.device)
    done = _resume(begun, run, optimizer)
    run.model.train()
    for step, rows in enumerate(_order(len(data), epochs)):
        if step < done:
            continue
        _check(begun, run, optimizer, step)
        x, y = data.batch(rows, run.device)
        optimizer.zero_grad(set_to_none=True)
        with context():
            value = loss(run.model(x), y)
        value.backward()
        optimizer.step()
    run.model.eval()


def _order(count, epochs):
    """The batches of all epochs, each epoch shuffled again."""
    import torch

    generator = torch.Generator().manual_seed(_SEED)
    for _ in range(epochs):
        yield from torch.randperm(count, generator=generator).split(_BATCH)


def _check(begun, run, optimizer, step):
    try:
        stopping.check()
    except stopping.Interrupted:
        if begun is not None and step > 0:
            with contextlib.suppress(OSError):
                _write(
                    begun,
                    {"step": step, "model": run.model.state_dict(), "optimizer": optimizer.state_dict()["state"]},
                )
                events.warn(
                    "the probe ended while the example was being trained for its first use; the next probe resumes "
                    "the training"
                )
        raise


def _resume(begun, run, optimizer):
    """Returns the number of steps that an interrupted training had done."""
    if begun is None or not os.path.isfile(begun):
        return 0
    try:
        state = _read(begun, run.device)
        # The rest of the optimizer's state is still as created.
        optimizer.load_state_dict({"state": state["optimizer"], "param_groups": optimizer.state_dict()["param_groups"]})
        run.model.load_state_dict(state["model"])
        return state["step"]
    except Exception as err:
        events.log("the training in %s cannot be resumed (%s); training from the start" % (begun, describe(err)))
        return 0


def _fast_context(dev):
    """bf16 if the CPU supports it: the weights stay fp32, and it takes a third of the time."""
    import torch

    if dev.type == "cpu":
        with contextlib.suppress(OSError), open("/proc/cpuinfo") as f:
            if "avx512_bf16" in f.read():
                return lambda: torch.autocast("cpu", dtype=torch.bfloat16)
    return contextlib.nullcontext


def _place(name, source):
    """Another source, recipe or framework yields other weights."""
    import torch

    digest = hashlib.sha256()
    for path in (source, __file__):
        with open(path, "rb") as f:
            digest.update(f.read())
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "sweetspot", "%s-%s-torch%s.pt" % (name, digest.hexdigest()[:16], torch.__version__))


def _read(path, dev):
    import torch

    with open(path, "rb") as f:
        return torch.load(f, map_location=dev, weights_only=True)


def _write(path, state):
    """Writes atomically, even if another process writes the same file."""
    import torch

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".trained-")
    try:
        with os.fdopen(handle, "wb") as f:
            torch.save(state, f)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
