"""Which distributions the program has imported, as pip names them.

What another machine has to install to run it: nothing of the standard library, no modules
of the program's own, and nothing that came from elsewhere than a package index.
"""

import os
import re
import sys

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}\Z")
VERSION = re.compile(r"[0-9][A-Za-z0-9._!-]{0,39}\Z")
INSTALLERS = {"pip", "setuptools", "wheel"}  # every environment has them
MOST = 200


def tell(rank):
    """Sends what was imported, in events that fit into a line each."""
    from . import events

    if rank != 0:
        return
    try:
        names = imported()
    except Exception:  # an installation that is not sound: what was imported is unknown
        return
    for i in range(0, len(names), 25):
        events.emit("packages", names=names[i : i + 25])


def imported():
    """A sorted list of name==version, without a version's local part, which no index has (+cpu, +cu118)."""
    from importlib import metadata

    files = {os.path.realpath(f) for f in map(_file, list(sys.modules.values())) if f}
    found = {}
    for d in metadata.distributions():
        folder = os.path.realpath(str(d.locate_file("")))
        if os.path.basename(folder) not in ("site-packages", "dist-packages") or not _is_used(d, folder, files):
            continue
        if d.read_text("direct_url.json"):
            continue
        name, version = d.metadata["Name"] or "", (d.version or "").partition("+")[0]
        key = re.sub(r"[-_.]+", "-", name).lower()
        if NAME.match(name) and VERSION.match(version) and key not in INSTALLERS:
            found.setdefault(key, name + "==" + version)  # the first on the path is the one that is imported
    return [found[key] for key in sorted(found)][:MOST]


def _file(module):
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) else None


def _is_used(d, folder, files):
    """Whether a module of the distribution is loaded, and from there."""
    for name in _tops(d):
        module = sys.modules.get(name)
        if module is None:
            continue
        file = _file(module)
        if file is not None:
            if os.path.realpath(file).startswith(folder + os.sep):
                return True
        elif any(os.path.realpath(str(d.locate_file(f))) in files for f in d.files or ()):
            return True  # of a namespace that several distributions share
    return False


def _tops(d):
    """The names that can be imported."""
    text = d.read_text("top_level.txt")
    if text:
        return text.split()
    tops = set()
    for f in d.files or ():
        if f.suffix in (".py", ".so", ".pyd"):
            tops.add(f.parts[0].partition(".")[0])
    return tops
