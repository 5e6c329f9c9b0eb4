"""Loads what --model and --eval name: a factory in Python, or a model file."""

import importlib
import importlib.util
import inspect
import os
import sys

from . import machine


class Problem(Exception):
    """A problem that the user can fix, in one sentence."""


FILES = (".pt", ".pt2", ".onnx")
LIBRARIES = ("timm", "transformers")


def suffix(spec):
    """The suffix of a model file, or "" for a factory."""
    ending = os.path.splitext(spec)[1].lower()
    return ending if ending in FILES else ""


def load(spec, dev):
    """Returns the torch.nn.Module that spec names, on the device."""
    from torch import nn

    if suffix(spec):
        from . import files

        return files.load(spec, suffix(spec), dev)
    model, name, where = made(spec)
    if not isinstance(model, nn.Module):
        raise Problem("%s() in %s returned a %s, not a torch.nn.Module" % (name, where, type(model).__name__))
    return model.to(dev)


def made(spec):
    """Calls the factory of "file.py:factory" or "package.module:factory".

    Returns what it made, the factory's name and where it is.
    """
    where, _, name = spec.rpartition(":")
    if not where or not name:
        raise Problem("%r is neither file.py:factory nor package.module:factory" % spec)
    if where in LIBRARIES:
        return _of_library(where, name), name, where
    module = _script(where) if where.lower().endswith(".py") else _installed(where)
    factory = _factory(module, where, name)
    required = [
        p.name
        for p in _parameters(factory)
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if required:
        raise Problem(
            "%s in %s needs the arguments %s; give a function without required arguments"
            % (name, where, ", ".join(required))
        )
    try:
        return factory(), name, where
    except Exception as err:
        if machine.out_of_memory(err):
            raise
        raise Problem("%s() in %s failed: %s" % (name, where, describe(err))) from err


def _of_library(where, name):
    from . import libraries

    try:
        return libraries.make(where, name)
    except Problem:
        raise
    except Exception as err:
        if machine.out_of_memory(err):
            raise
        raise Problem("%s:%s cannot be made: %s" % (where, name, describe(err))) from err


def _script(path):
    if not os.path.isfile(path):
        raise Problem("there is no file %s" % path)
    path = os.path.abspath(path)
    name = os.path.splitext(os.path.basename(path))[0]
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == path:
        return loaded  # --eval in the file of --model
    sys.path.insert(0, os.path.dirname(path))  # its own imports
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Problem("%s is not a Python file" % path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as err:
        raise Problem("%s cannot be loaded: %s" % (path, describe(err))) from err
    return module


def _installed(name):
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except Exception as err:
        missing = (
            isinstance(err, ModuleNotFoundError) and err.name is not None and (name + ".").startswith(err.name + ".")
        )
        if missing:
            raise Problem(
                "there is no module %s in %s or installed for %s; run from the directory that holds it, or install it"
                % (err.name, here, sys.executable)
            ) from err
        raise Problem("the module %s cannot be loaded: %s" % (name, describe(err))) from err


def _factory(module, where, name):
    factory = getattr(module, name, None)
    if callable(factory):
        return factory
    own = [
        n
        for n, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == module.__name__ and not n.startswith("_")
    ]
    have = "; it has %s" % ", ".join(sorted(own)) if own else ""
    raise Problem("there is no function %s in %s%s" % (name, where, have))


def _parameters(factory):
    try:
        return list(inspect.signature(factory).parameters.values())
    except (TypeError, ValueError):
        return []


def describe(err):
    """One line for an exception: its type and the first line of its message."""
    lines = str(err).strip().splitlines()
    return "%s: %s" % (type(err).__name__, lines[0]) if lines else type(err).__name__
