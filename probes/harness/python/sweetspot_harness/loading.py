"""Loads file.py:factory."""

import importlib.util
import inspect
import os
import sys

from . import machine


class Problem(Exception):
    """Something the user can mend, said in one sentence."""


def load(spec):
    """Returns the torch.nn.Module that the factory of "file.py:factory" makes."""
    from torch import nn

    path, _, name = spec.rpartition(":")
    if not path or not name:
        raise Problem("the model %r is not of the form file.py:factory" % spec)
    factory = _factory(_module(path), path, name)
    required = [
        p.name
        for p in _parameters(factory)
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if required:
        raise Problem(
            "%s in %s needs the arguments %s; name a function that takes none" % (name, path, ", ".join(required))
        )
    try:
        model = factory()
    except Exception as err:
        if machine.out_of_memory(err):
            raise
        raise Problem("%s() in %s failed: %s" % (name, path, describe(err))) from err
    if not isinstance(model, nn.Module):
        raise Problem("%s() in %s returned a %s, not a torch.nn.Module" % (name, path, type(model).__name__))
    return model


def _module(path):
    if not os.path.isfile(path):
        raise Problem("there is no file %s" % path)
    path = os.path.abspath(path)
    sys.path.insert(0, os.path.dirname(path))  # its own imports
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    if spec is None or spec.loader is None:
        raise Problem("%s is not a Python file" % path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as err:
        raise Problem("%s cannot be loaded: %s" % (path, describe(err))) from err
    return module


def _factory(module, path, name):
    factory = getattr(module, name, None)
    if callable(factory):
        return factory
    own = [
        n
        for n, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == module.__name__ and not n.startswith("_")
    ]
    have = "; it has %s" % ", ".join(sorted(own)) if own else ""
    raise Problem("there is no function %s in %s%s" % (name, path, have))


def _parameters(factory):
    try:
        return list(inspect.signature(factory).parameters.values())
    except (TypeError, ValueError):
        return []


def describe(err):
    """One line for an exception: its type and the first line of its message."""
    lines = str(err).strip().splitlines()
    return "%s: %s" % (type(err).__name__, lines[0]) if lines else type(err).__name__
