"""Validations of programs that ask for neither evaluation mode nor a loader.

Their text computes something without gradients, gives a measure of it a name, and tells that:

    with torch.no_grad():
        loss = criterion(model(test_input), test_target)
        print("test loss:", loss.item())
"""

import ast
import re
import sys

from . import compiled, showing, syntax

REGIONS = ("no_grad", "inference_mode")
WRAPPERS = ("_contextlib.py", "grad_mode.py")  # the ends of the names of PyTorch's files that decorate functions
TELLS = re.compile(r"(?:print|log|info|write|writerow|append|add_scalar|set_postfix|set_description|report)(?:s?$|_)")
LIBRARIES = ("torch", "math", "np", "numpy", "F", "functional")  # whose log and log_softmax compute
# A function that returns a measure tells it if it has such a name.
RETURNS = re.compile(r"(?:^|_)(?:eval|test|valid|loss|acc)")
HELD_OUT = re.compile(r"(?:^|_)(?:tests?|val|valid|validation|eval|evaluate|evaluation|dev)(?:$|_)")


class Test:
    """A region that measures: whether that is data held out, and the steps before it was last entered."""

    def __init__(self, node):
        self.held_out = any(HELD_OUT.search(name) for name in _names(node))
        self.before = None


class Region:
    """Code that computes without gradients, since a mark; what was known of passes and validations by then."""

    def __init__(self, recorder, frame, place):
        self.begin, self.frame, self.place = recorder.clock.mark(), frame, place
        self.passes, self.noted = set(recorder.data.passes), _noted(recorder)
        self.computed, self.handle = recorder.stands_aside, None


def _noted(recorder):
    return recorder.count, len(recorder.phases), len(recorder.whole)


class WithoutGradients:
    """The part of the recorder that handles what is measured without gradients."""

    def look_for_tests(self):
        """At the first step: if the program's text has such regions, they are watched from now on."""
        self.tests = tests_of(self.frames())
        if self.tests and not self.watches_regions:
            self.watches_regions = True
            for name in REGIONS:
                _watch(self, getattr(self.torch, name, None))

    def entering(self, frame):
        """The program begins to compute without gradients, in this frame or in a function that it calls."""
        place = _place(frame) if self.tests and self.region is None and self.is_training() else None
        test = self.tests.get(place)
        if test is None or self.open is not None or self.owner is None or self.acts():
            return
        self.catch_up()
        self.spent()
        before, test.before = test.before, self.count
        rare = test.held_out or (_is_now_and_then(frame) if before is None else self.count - before > 1)
        if not rare or self.is_of_step():
            del self.tests[place]  # it is a part of each step
            return
        self.region = Region(self, frame, place)
        if not self.stands_aside:
            self.region.handle = self.torch.nn.modules.module.register_module_forward_hook(self._computes)

    def _computes(self, module, inputs, _output):
        if self.region is not None and type(module) in self.facts.kinds:
            self.region.computed = True

    def left(self, frame, failed):
        """Such code has ended, maybe by an exception."""
        region = self.region
        if region is None or region.frame is not frame:
            return
        self.region = None
        if region.handle is not None:
            region.handle.remove()
        self.catch_up()
        if not region.computed:
            self.tests.pop(region.place, None)  # it measures what was computed before
        if failed or not region.computed or self.off or _noted(self) != region.noted:
            return
        given = [p for p in self.data.passes if p not in region.passes]
        if any(p.loader_id == self.data.main for p in given):
            return
        for p in given:
            self.data.forget(p)
        self.whole.append((region.begin, self.clock.mark(), {p.loader_id: p.units for p in given}))


def _watch(recorder, cls):
    """Wraps how a class of regions is entered and left."""
    if cls is None:
        return
    enter, leave, is_compiling = cls.__enter__, cls.__exit__, compiled.is_compiling_of(recorder.torch)

    def __enter__(self):
        if not is_compiling():
            recorder.attempt(recorder.entering, sys._getframe(1))
        return enter(self)

    def __exit__(self, *exception):
        result = leave(self, *exception)
        if not is_compiling():
            recorder.attempt(recorder.left, sys._getframe(1), exception[0] is not None)
        return result

    cls.__enter__, cls.__exit__ = __enter__, __exit__


def _place(frame):
    """The file and line of a region, or of the function that is one as a whole, by its decorator."""
    code, line = frame.f_code, frame.f_lineno
    if code.co_filename.endswith(WRAPPERS):
        code = getattr(frame.f_locals.get("func"), "__code__", code)
        line = code.co_firstlineno
    return code.co_filename, line


def _is_now_and_then(frame):
    """Whether the frame's line is in no loop, or an if decides on it in each round."""
    around = syntax.around(frame)
    loop = max((k for k, node in enumerate(around) if isinstance(node, (ast.For, ast.While))), default=None)
    return loop is None or any(isinstance(node, ast.If) for node in around[loop:])


def tests_of(frames):
    """The Test of each such region in the files of these frames, by its place."""
    files = {f.f_code.co_filename: syntax.tree(f) for f in frames[: showing.NEAR]}
    return {
        (file, line): Test(node)
        for file, tree in files.items() for node, line, after, function in _regions(tree)
        if _tells(node.body, after, function)
    }


def _regions(tree):
    """(node, line, statements after it, function's name) of each region, as a statement or a function."""
    for scope in ast.walk(tree):
        if isinstance(scope, syntax.FUNCTIONS) and any(map(_is_region, scope.decorator_list)):
            yield scope, scope.decorator_list[0].lineno, (), scope.name
        for field in ("body", "orelse", "finalbody"):
            block = getattr(scope, field, None)
            for k, node in enumerate(block if isinstance(block, list) else ()):
                if isinstance(node, ast.With) and any(_is_region(i.context_expr) for i in node.items):
                    yield node, node.lineno, block[k + 1 :], getattr(scope, "name", "")


def _is_region(node):
    node = node.func if isinstance(node, ast.Call) else node
    return getattr(node, "attr", getattr(node, "id", None)) in REGIONS


def _tells(body, after, function):
    """Whether these statements measure something, without a change of mode, and they or those after them tell it."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    if {"eval", "train", "backward", "step"}.intersection(_called(nodes)):
        return False
    stored = {_name(n) for n in nodes if isinstance(getattr(n, "ctx", None), ast.Store)}
    measured = {name for name in stored if name and showing.MEASURED.search(showing.lower(name))}
    if not measured:
        return False
    for node in nodes + [node for statement in after for node in ast.walk(statement)]:
        tells = (
            isinstance(node, ast.Call) and TELLS.match(showing.lower(_name(node.func) or ""))
            and _name(getattr(node.func, "value", None)) not in LIBRARIES
        )
        tells = tells or isinstance(node, ast.Return) and RETURNS.search(showing.lower(function))
        if tells and measured.intersection(map(_name, ast.walk(node))):
            return True
    return False


def _called(nodes):
    return (_name(n.func) for n in nodes if isinstance(n, ast.Call))


def _name(node):
    return getattr(node, "attr", getattr(node, "id", None))


def _names(node):
    """The names in a node, and its own."""
    return [showing.lower(n) for n in (getattr(node, "name", ""), *map(_name, ast.walk(node))) if isinstance(n, str)]
