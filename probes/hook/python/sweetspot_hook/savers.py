"""Wraps what writes checkpoints: torch.save, and the methods by which frameworks write several files at once.

Python's own pickle.dump writes one where it is given a network.
"""

import functools
import pickle
import sys

from . import imports

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
    ("equinox", "", ("tree_serialise_leaves",)),
)

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
    @functools.wraps(save)
    def saving(*args, **kwargs):
        begin = r.saving(args, kwargs, of_data, only_weights)
        if begin is None:
            return save(*args, **kwargs)
        try:
            return save(*args, **kwargs)
        finally:
            r.saved(begin)

    return saving
