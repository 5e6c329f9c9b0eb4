"""What a program computes in evaluation mode only to look at, as a text or pictures, by its own text."""

import ast

from . import syntax

NEAR = 8  # frames from that call outwards that are read

# Parts of names. One of the first, and none of the second: what is measured is a validation.
SHOWN = ("image", "img", "grid", "imshow", "savefig", "plot", "fake", "sampl", "generat", "decod")
MEASURED = (
    "loss", "acc", "metric", "scor", "crit", "err", "correct", "val", "test", "perplex", "ppl", "mse", "mae", "psnr",
    "ssim", "fid", "inception", "bleu", "rouge", "f1", "auc", "iou", "dice", "recall", "precision", "reward", "entropy",
    "nll", "elbo", "bpc", "bpb", "kl",
)


def is_shown(frames):
    """Whether it is, from the call that asked for evaluation mode on; None where the text does not tell.

    Frames are the program's, the innermost first.
    """
    for frame in frames[:NEAR]:
        computed, names = _names(frame)
        if computed:
            measured = _has([name.replace("value", "") for name in names], MEASURED)
            return False if measured else _has(names, SHOWN) or None
    return None


def _names(frame):
    """Whether more is called after the statement that the frame is in, and the names from there to the next training.

    The name of the function is among them. A function that only switches modes calls nothing more.
    """
    scope = syntax.function(frame)
    block, place = _block(scope, frame.f_lineno)
    section = []
    for statement in block[place:]:
        section.append(statement)
        if any(name == "train" for name in _called(statement)):
            break
    nodes = [node for statement in section for node in ast.walk(statement)]
    calls = [name for statement in section for name in _called(statement)]
    names = [getattr(scope, "name", "")] + [name for node in nodes for name in _of(node)]
    modes = ("eval", "train")
    return any(name not in modes for name in calls), [name.lower() for name in names if name not in modes]


def _block(scope, line):
    """The innermost list of statements with one on the line, and that one's place."""
    found, lists = ([], 0), [scope.body]
    while lists:
        block = lists.pop()
        for k, statement in enumerate(block):
            if statement.lineno <= line <= statement.end_lineno:
                found = block, k
                for field in ("body", "orelse", "finalbody"):
                    lists.append(getattr(statement, field, []))
                lists += [handler.body for handler in getattr(statement, "handlers", ())]
    return found


def _called(statement):
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", ""))


def _of(node):
    for field in ("id", "attr", "arg", "value"):
        name = getattr(node, field, None)
        if isinstance(name, str):
            yield name


def _has(names, parts):
    return any(part in name for name in names for part in parts)
