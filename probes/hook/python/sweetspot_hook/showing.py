"""What a program computes in evaluation mode only to look at, as a text or pictures, by its own text, or as a check."""

import ast
import re

from . import loops, repeats, syntax

PREDICTION, CHECK, GENERATION = "prediction", "check", "generation"  # kinds of pauses
# Lightning evaluates a few batches to find mistakes early, and TensorBoard's graph of a network one.
CHECKS = ("_run_sanity_check", "add_graph")
LOOP = ".prediction_loop"  # the end of the name of Lightning's module that predicts

NEAR = 8  # frames from that call outwards that are read

# Parts of names of what is only looked at; the last in those of functions alone, for data are samples as well.
SHOWN, SAMPLED = ("image", "img", "grid", "plot", "fake", "generat", "decod", "translat"), ("sampl",)
# The words of names begin or end like this where something is measured, which makes it a validation.
_MEASURED = (
    "loss|acc(?!el|um|es|ep|ou)|accuracy|metric|scor|score|crit|(?<!std)err|error|correct|perplex|perplexity|ppl|mse|"
    "mae|psnr|ssim|fid|inception|bleu|rouge|f1|auc|(?<!prev)iou|(?<!in)dice|recall|(?<!mixed_)precision|reward|entropy|"
    "nll|elbo|bpc|bpb|kl(?!ass)"
)
MEASURED = re.compile(r"(?:^|[\W_])(?:%s)|(?:%s)(?:e?s)?\d*(?:$|[\W_])" % (_MEASURED, _MEASURED))
DRAWS = ("save_image", "imsave", "imwrite", "imshow", "savefig")  # what is called to draw pictures
# Parts of names of functions that measure nothing themselves: their caller may.
PREDICTS = ("predict", "extract", "embed", "infer")
# The same, of what is called: other names may be those of anything that is tried out.
MEASURES = re.compile(r"(?:^|[\W_])(?:e?val(?!ue)|test)")
COMPUTES = (ast.Div, ast.AugAssign)  # what computes a result, beside functions
REDUCES = ("sum", "mean", "average", "compute")


def is_shown(frames):
    """Whether it is, from the call that asked for evaluation mode on; None where the text does not tell.

    PREDICTION where it is only predicted, GENERATION where it is drawn, maybe what a loader gives. Frames are the
    program's, the innermost first.
    """
    if any(str(frame.f_globals.get("__name__")).endswith(LOOP) for frame in frames):
        return PREDICTION
    predicts = False
    for frame in frames[:NEAR]:
        called, names = _names(frame)
        if not called:
            continue
        draw = _drawing(frame, called)
        tests = [name for name in called if MEASURES.search(name) and name not in draw]
        if any(map(MEASURED.search, names)) or any(_measures(name, frame) for name in tests):
            return False
        if draw:
            return GENERATION
        if tests:
            return True
        predicts = predicts or _has(called[:1], PREDICTS)
        if not predicts:
            return _has(names, SHOWN) or _has(called, SAMPLED) or None
    return PREDICTION if predicts else None


def _drawing(frame, called):
    """Which of what is called draws pictures, among it functions of the program that do and measure nothing."""
    found = {name for name in called if name in DRAWS}
    for name, function in syntax.functions(frame).items():
        if lower(name) in called:
            inside = [lower(n) for node in ast.walk(function) for n in _of(node)]
            if any(n in DRAWS for n in inside) and not any(map(MEASURED.search, inside)):
                found.add(lower(name))
    return found


def _measures(name, frame, deep=3):
    """Whether what is named after a test computes numbers, as far as its text in the frame's module tells."""
    function = next((f for n, f in syntax.functions(frame).items() if lower(n) == name), None)
    if function is None or not deep:
        return True
    nodes = list(ast.walk(function))
    called = {lower(n) for n in _called(function)} - {name}
    return (
        any(isinstance(n, COMPUTES) for n in nodes) or any(n in REDUCES for n in called)
        or any(MEASURED.search(lower(word)) for n in nodes for word in _of(n))
        or any(_measures(n, frame, deep - 1) for n in called if MEASURES.search(n))
    )


def is_of_step(frame, loader):
    """Whether a loop over the loader with this id asks for it, from this frame, in each round: to score its batch.

    What is named after a validation or a test is one.
    """
    active, around = loops.active(frame), syntax.around(frame)
    if not active or not isinstance(active[-1], ast.For) or not repeats.goes_over(active[-1].iter, frame, loader):
        return False
    within = around[around.index(active[-1]) :]
    _, names = _names(frame)
    return not any(isinstance(node, ast.If) for node in within) and not any(map(MEASURES.search, names))


def is_check(frame):
    """Whether a library that is called from this frame, or around it, only tries the network out."""
    while frame is not None:
        if frame.f_code.co_name in CHECKS:
            return True
        frame = frame.f_back
    return False


def _names(frame):
    """What is called after the statement that the frame is in, and all names from there to the next training.

    The name of the function is among both. Of a function that only switches modes, which calls nothing more, both are
    empty.
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
    own, modes = getattr(scope, "name", ""), ("eval", "train")
    calls = [lower(_wrapped(frame, name)) for name in calls if name not in modes]
    if not calls:
        return (), ()
    names = [own, *(_wrapped(frame, name) for node in nodes for name in _of(node))]
    return [lower(own), *calls], [lower(name) for name in names if name not in modes]


def _wrapped(frame, name):
    """The name of the function that a decorator calls by this name, from its wrapper in the frame."""
    if name not in frame.f_code.co_freevars:
        return name
    return getattr(frame.f_locals.get(name), "__name__", name)


def lower(name):
    """A name in lower case, its words apart."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


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
