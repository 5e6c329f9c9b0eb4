"""The program's text as syntax trees, and the nodes of it that a frame is in. None of it is run."""

import ast
import functools
import linecache
import os
import sys
import types

MOST_CHARACTERS = 1 << 19  # of a file; parsing takes a second a million

MOST_FILES = 64

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

STANDARD = os.path.dirname(os.__file__)
HOOK = os.path.dirname(os.path.dirname(__file__))


def is_library(frame):
    """Whether a frame is not of the program itself."""
    return _is_of_library(frame.f_code.co_filename)


def _is_of_library(name):
    return _is_of_package(name) or name.startswith((STANDARD + os.sep, "<frozen"))


def is_installed(frame):
    """Whether a frame is of a package that is none of Python's own."""
    return _is_of_package(frame.f_code.co_filename)


@functools.cache
def _is_of_package(name):
    return "-packages" + os.sep in name or any(
        name.startswith(os.path.join(folder, "")) and _has_packages(folder) for folder in sys.path if folder
    )


@functools.cache
def _has_packages(folder):
    """Whether packages were installed into a folder that is not the program's own, as by pip install --target."""
    own = os.path.abspath(getattr(sys.modules["__main__"], "__file__", None) or "main.py")
    try:
        installed = any(name.endswith(".dist-info") for name in os.listdir(folder))
        return installed and not os.path.samefile(folder, os.path.dirname(own))
    except OSError:
        return False


def tree(frame):
    """The syntax tree of a frame's file; of no statement where it cannot be read."""
    return _tree(frame.f_code, frame.f_globals)


def _tree(code, names):
    return _parsed(code.co_filename, "".join(linecache.getlines(code.co_filename, names)))


def mentions(frames, pattern):
    """Whether the pattern is in the text of the frames' files, or of another module of the program."""
    files = {f.f_code.co_filename: f.f_globals for f in frames}
    imported = (getattr(m, "__dict__", {}).get("__file__") for m in list(sys.modules.values()))
    files.update((f, None) for f in imported if type(f) is str)
    own = [(f, names) for f, names in files.items() if not _is_of_library(f) and not f.startswith(HOOK)]
    return any(pattern.search(line) for f, names in own[:MOST_FILES] for line in linecache.getlines(f, names))


def functions(frame):
    """The functions of a frame's module, and those that it has from others of the program, by its names of them."""
    found = {}
    for name, value in list(frame.f_globals.items()):
        code = value.__code__ if type(value) is types.FunctionType else frame.f_code
        if code.co_filename != frame.f_code.co_filename and not _is_of_library(code.co_filename):
            body = _tree(code, value.__globals__).body
            found.update((name, n) for n in body if isinstance(n, FUNCTIONS) and n.name == code.co_name)
    found.update((n.name, n) for n in tree(frame).body if isinstance(n, FUNCTIONS))
    return found


@functools.lru_cache(MOST_FILES)
def _parsed(_name, text):
    try:
        return ast.parse(text if len(text) <= MOST_CHARACTERS else "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse("")


def forget():
    """Frees the trees, which take a hundred times the memory of the text. They are parsed again when needed."""
    _parsed.cache_clear()


def around(frame):
    """The nodes around the frame's line, the outermost first."""
    at, found, nodes = frame.f_lineno, [], [tree(frame)]
    while nodes:
        for child in ast.iter_child_nodes(nodes.pop()):
            if getattr(child, "lineno", 0) <= at <= getattr(child, "end_lineno", at):
                found.append(child)
                nodes.append(child)
    return found


def function(frame):
    """The innermost function around the frame's line, else the module."""
    scopes = [node for node in around(frame) if isinstance(node, FUNCTIONS)]
    return max(scopes, key=lambda node: node.lineno, default=tree(frame))


def names(node):
    """The names in a node."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
