"""Wraps what writes checkpoints: torch.save, and the methods by which frameworks write several files at once.

Python's own pickle.dump writes one where it is given a network.
"""

import ast
import functools
import pickle
import sys

from . import imports, loops, syntax

CHECKPOINT, OF_BEST = "checkpoint", "best checkpoint"  # kinds of pauses

# Modules, classes of them ("" for the module itself) and what writes a checkpoint there.
SAVERS = (
    ("safetensors.torch", "", ("save_file", "save_model")),
    ("transformers.trainer", "Trainer", ("_save_checkpoint", "save_model", "_save")),
    ("accelerate.accelerator", "Accelerator", ("save_state", "save_model")),
    ("lightning.pytorch.trainer.trainer", "Trainer", ("save_checkpoint",)),
    ("pytorch_lightning.trainer.trainer", "Trainer", ("save_checkpoint",)),
    ("lightning.fabric.fabric", "Fabric", ("save",)),
    ("lightning_fabric.fabric", "Fabric", ("save",)),
    ("stable_baselines3.common.base_class", "BaseAlgorithm", ("save",)),
)
# The same of JAX.
OF_JAX = (
    ("orbax.checkpoint", "Checkpointer", ("save",)),
    ("orbax.checkpoint", "StandardCheckpointer", ("save",)),
    ("orbax.checkpoint", "AsyncCheckpointer", ("save",)),
    ("orbax.checkpoint", "CheckpointManager", ("save",)),
    ("flax.training.checkpoints", "", ("save_checkpoint", "save_checkpoint_multiprocess")),
    ("clu.checkpoint", "Checkpoint", ("save",)),
    ("equinox", "", ("tree_serialise_leaves",)),
)

NEAR = 12  # frames from what saves outwards that are read
# Parts of names of what a result is compared with, to save the best network alone; those of others that are compared.
BESTS, COUNTS = {"min", "max", "minimum", "maximum", "lowest", "highest"}, {"epoch", "step", "iter"}
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)

_kinds = {}  # of checkpoints, by the places that write them
_late = []  # of modules that were being imported when PyTorch was: they import it themselves


def wrap(r, torch):
    torch.save = torch.serialization.save = _saving(r, torch.save, True)
    pickle.dump = _saving(r, pickle.dump, only_weights=True)
    _wrap_imported(r, SAVERS, True)


def wrap_of_jax(r):
    _wrap_imported(r, OF_JAX, False)


def _wrap_imported(r, savers, again):
    for module, owner, names in savers:
        imports.after(module, functools.partial(r.attempt, _wrap, r, module, owner, names, again))


def wrap_late(r):
    """At the first step everything is there."""
    while _late:
        _wrap(r, *_late.pop(), False)


def _wrap(r, module, owner, names, again):
    holder = sys.modules.get(module)
    holder = getattr(holder, owner, None) if owner else holder
    for name in names:
        if name in getattr(holder, "__dict__", ()):
            setattr(holder, name, _saving(r, getattr(holder, name)))
        elif again:
            return _late.append((module, owner, names))


def _saving(r, save, of_data=False, only_weights=False):
    """The function, watched; of_data is whether it also writes other things than weights.

    only_weights is whether it counts for nothing where it writes no network or its state.
    """
    return pausing(r, save, lambda args, kwargs: r.saving(args, kwargs, of_data, only_weights))


def pausing(r, call, begins):
    """The function, whose calls are pauses of the training where begins, of their arguments, gives a mark."""
    @functools.wraps(call)
    def watched(*args, **kwargs):
        begin = begins(args, kwargs)
        if begin is None:
            return call(*args, **kwargs)
        try:
            return call(*args, **kwargs)
        finally:
            r.saved(begin)

    return watched


def kind(frames):
    """OF_BEST for a checkpoint that is written only if a result is better than those before, by the text around it.

    Else CHECKPOINT. The frames are the program's, the innermost first.
    """
    place = tuple((f.f_code, f.f_lineno) for f in frames[:NEAR])
    try:
        if any(map(_is_told_best, frames[:NEAR])):
            return OF_BEST
        if place not in _kinds:
            _kinds[place] = OF_BEST if _asks_for_best(frames[:NEAR]) else CHECKPOINT
            syntax.forget()
        return _kinds[place]
    except Exception:  # a program may hold any object under any name
        return CHECKPOINT


def _is_told_best(frame):
    """Whether it is one of a callback of Keras's that was told to."""
    return loops.held(loops.read(frame, lambda names: names.get("self")), "save_best_only") is True


def _asks_for_best(frames):
    """Whether the text around what saves, up to the first loop, asks for a better result, or is a function for that."""
    for frame in frames:
        nodes, around = syntax.around(frame), loops.active(frame)
        tests = [n.test for n in nodes[nodes.index(around[0]) if around else 0 :] if isinstance(n, ast.If)]
        if any(_is_of_best(t) and not _holds(t, frame) and not _is_off(t, nodes) for t in tests):
            return True
        if around:
            return False
        if "best" in frame.f_code.co_name.lower():
            return True
    return False


def _holds(test, frame):
    """Whether a condition holds in any case, by a switch: loss < best or always_save."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else ()
    return any(isinstance(p, (ast.Name, ast.Attribute)) and loops.lookup(p, frame) is True for p in parts)


def _is_off(test, nodes):
    """Whether a condition is a switch, and what is among these nodes is done where it is off."""
    return isinstance(test, (ast.Name, ast.Attribute)) and any(
        isinstance(n, ast.If) and n.test is test and any(child in n.orelse for child in nodes) for n in nodes
    )


def _is_of_best(test):
    names = {w.lower() for n in ast.walk(test) for w in (getattr(n, "id", ""), getattr(n, "attr", "")) if w}
    return any("best" in w for w in names) or any(
        isinstance(n, ast.Compare) and isinstance(n.ops[0], ORDERS) for n in ast.walk(test)
    ) and any(BESTS & set(w.split("_")) and not any(part in w for part in COUNTS) for w in names)
