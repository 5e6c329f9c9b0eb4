"""Which Python of this host has PyTorch."""

import os
import shutil
import subprocess

from command import Trouble

IMPORT_TIMEOUT = 120  # seconds for importing PyTorch; from a cold disk it takes tens of seconds
WORD = "{sweetspot-python}"


def place(argv, named):
    """Replaces the placeholder in the words by an interpreter that imports PyTorch."""
    if not any(WORD in w for w in argv):
        return argv
    found = find([named] if named else [os.environ.get("SWEETSPOT_PYTHON", ""), "python3", "/usr/bin/python3"])
    return [w.replace(WORD, found) for w in argv]


def find(candidates):
    tried = {}
    for name in candidates:
        path = shutil.which(os.path.expanduser(name)) if name else None
        if path is None and name:
            tried[name] = "not found"
        if path is None or path in tried:
            continue
        trouble = inspect(path)
        if trouble is None:
            return os.path.abspath(path)
        tried[path] = trouble
    raise Trouble(
        "no Python found there that can import PyTorch: tried %s; install it there or give an interpreter on that "
        "host with --python"
        % ", ".join("%s (%s)" % entry for entry in tried.items())
    )


def inspect(path):
    """None if the interpreter imports PyTorch, else why it does not."""
    try:
        done = subprocess.run(
            [path, "-c", "import torch; torch.version.cuda"],
            cwd="/",  # a torch.py in the user's directory is not PyTorch
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=IMPORT_TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return "importing torch took longer than %d s" % IMPORT_TIMEOUT
    except OSError as e:
        return e.strerror
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    last = said[-1] if said else "ends with code %d" % done.returncode
    return "has no torch" if "No module named 'torch'" in last else last[:120]
