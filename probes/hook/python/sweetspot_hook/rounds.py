"""What the names of the program's frames hold at a step of each round of a loop, as far as its text decides.

The statements from the head of the loop to the step are followed with values of our own, none is run. What is not
followed makes what it assigns unknown. Names that the loop does not assign hold what they hold now.
"""

import ast
import time

from . import evaluate, loops, syntax
from .evaluate import Unknown

LONGEST = 0.2  # seconds that it may take
MOST = 512  # rounds that are followed; of more, as many at equal distances
UNKNOWN = object()
READING = ("get", "index", "count", "items", "keys", "values", "copy")  # methods that change nothing


def follow(frames, place, loop, over, wanted):
    """[(round, values of the wanted)] of the loop in frame `place`, over a range, in its first round; raises Unknown.

    The frames are the innermost first; wanted are (index of a frame, expression).
    """
    inner = None
    scopes = []
    for k, frame in enumerate(frames[: place + 1]):
        inner = Scope(frame, loop if k == place else syntax.function(frame), inner)
        scopes.append(inner)
    if inner.now(loop.target) != over[0]:
        raise Unknown
    sampled = len(over) > MOST
    found, until = [], time.perf_counter() + LONGEST
    for k in range(min(len(over), MOST)):
        at = k * len(over) // MOST if sampled else k
        inner.go({loop.target.id: over[at]}, keep=not sampled)
        values = [scopes[i].at_step(node) for i, node in wanted]
        if k == 0 and any(scopes[i].now(node) != v for (i, node), v in zip(wanted, values) if name_of(node)):
            raise Unknown  # something else assigns it
        found.append((at, values))
        if time.perf_counter() > until:
            raise Unknown
    return found


def name_of(node):
    """size or args.size; None for what is neither a name nor an attribute of one."""
    if isinstance(node, ast.Name):
        return node.id
    holder = name_of(node.value) if isinstance(node, ast.Attribute) else None
    return holder and holder + "." + node.attr


class Scope:
    """A function's names, or those of a module, in the loop or the call that leads to the step."""

    def __init__(self, frame, node, inner):
        self.frame, self.tree, self.body, self.inner, self.line = (
            frame, syntax.tree(frame), node.body, inner, frame.f_lineno
        )
        self.names, self.step = {}, None  # what was assigned: value or UNKNOWN; the same at the step
        self.keeps, self.assigned = True, {}  # whether names stay from round to round; what a statement assigns
        self.own = {key for s in self.body for key in self._assigns(s)}

    def go(self, names, keep=False):
        """Follows the body once, with these names set."""
        self.names = {**self.names, **names} if keep else dict(names)
        self.keeps, self.step = keep, None
        self._run(self.body)
        if self.step is None:
            raise Unknown

    def at_step(self, node):
        self.names, after = self.step, self.names
        try:
            return evaluate.value(node, self.get)
        finally:
            self.names = after

    def get(self, node):
        key = name_of(node)
        if isinstance(node, ast.Subscript):  # its parts are asked for
            raise Unknown
        if key is None:  # a call, such as len(data)
            if any(n.id in self.names or n.id in self.own for n in ast.walk(node) if isinstance(n, ast.Name)):
                raise Unknown
            return loops.value(node, self.frame)
        if key in self.names:
            if self.names[key] is UNKNOWN:
                raise Unknown
            return self.names[key]
        if key.partition(".")[0] in self.names or not self.keeps and key in self.own:
            raise Unknown
        return self.now(node)

    def now(self, node):
        """What the program has under the name, if nothing but the body assigns it."""
        found = evaluate.plain(loops.lookup(node, self.frame))
        key = name_of(node)
        if found is None or self._is_changed(key, type(found) in (list, dict)):
            raise Unknown
        return found

    def _is_changed(self, key, may_change):
        """Whether other text may assign it, or change what it holds."""
        name, first, last = key.rpartition(".")[2], self.body[0].lineno, self.body[-1].end_lineno
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
                return True
            if (
                may_change and isinstance(node, ast.Subscript)
                and not isinstance(node.ctx, ast.Load) and name_of(node.value) == key
            ):
                return True
            if (
                may_change and isinstance(node, ast.Attribute)
                and name_of(node.value) == key and node.attr not in READING
            ):
                return True
            if isinstance(node, ast.FunctionDef) and node.name != "__init__" and "." in key:
                stores = (
                    n for n in ast.walk(node)
                    if isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store)
                )
                if any(not first <= n.lineno <= last for n in stores):
                    return True
        return False

    def _run(self, statements):
        """Whether the statements end the round."""
        return any(map(self._follow, statements))

    def _follow(self, s):
        here = s.lineno <= self.line <= s.end_lineno
        if isinstance(s, ast.If):
            return self._choose(s, here)
        if here and isinstance(s, (ast.For, ast.While, ast.With, ast.Try)):
            return self._enter(s)
        if here:
            self._arrive(s)
        if isinstance(s, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._assign(s)
        else:
            self._forget(s)
        return isinstance(s, (ast.Continue, ast.Break, ast.Return))

    def _choose(self, s, here):
        try:
            return self._run(s.body if evaluate.value(s.test, self.get) else s.orelse)
        except Unknown:
            self._forget(s)
        if here:  # the step is in one of its branches
            self._run(next(b for b in (s.body, s.orelse) if b and b[0].lineno <= self.line <= b[-1].end_lineno))
        return False

    def _enter(self, s):
        repeats = isinstance(s, (ast.For, ast.While))
        if isinstance(s, ast.For):
            self._forget(s.target)
        if isinstance(s, ast.With):
            for item in s.items:
                self._forget(item)
        before = self.step
        for _ in range(2 if repeats else 0):  # what another round of it changes is not followed
            names = dict(self.names)
            self._run(s.body)
            self.names.update({
                k: UNKNOWN for k, v in self.names.items() if k not in names or names[k] is not v and names[k] != v
            })
            self.names.update({k: UNKNOWN for k in names if k not in self.names})
        ends = self._run(s.body)
        if self.step is before:
            self._arrive(s)
        for part in ("handlers", "orelse", "finalbody"):
            for other in getattr(s, part, ()):
                self._forget(other)
        return ends and not repeats

    def _arrive(self, s):
        self.step = dict(self.names)
        if self.inner:
            self.inner.go(self._given(s))

    def _given(self, s):
        """The parameters of the inner function, from the call to it; not those that stay the same objects."""
        code = self.inner.frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        calls = [
            n for n in ast.walk(s)
            if isinstance(n, ast.Call) and getattr(n.func, "id", getattr(n.func, "attr", "")) == code.co_name
        ]
        if len(calls) != 1 or any(isinstance(a, ast.Starred) for a in calls[0].args):
            return dict.fromkeys(names, UNKNOWN)
        method = isinstance(calls[0].func, ast.Attribute) and names[:1] == ("self",)
        given = dict(zip(names[method:], calls[0].args), **{k.arg: k.value for k in calls[0].keywords if k.arg})
        out = {}
        for name, node in given.items():
            key = name_of(node)
            try:
                out[name] = evaluate.value(node, self.get)
            except Unknown:
                if key is None or key.partition(".")[0] in self.names or key in self.own:
                    out[name] = UNKNOWN
        return out

    def _assign(self, s):
        targets = s.targets if isinstance(s, ast.Assign) else [s.target]
        node = ast.BinOp(s.target, s.op, s.value) if isinstance(s, ast.AugAssign) else s.value
        pairs = [(t, node) for t in targets]
        if (
            all(isinstance(n, ast.Tuple) for n in (targets[0], node))
            and len(targets) == 1 and len(targets[0].elts) == len(node.elts)
        ):
            pairs = zip(targets[0].elts, node.elts)
        found = {name_of(t): self._value(n) for t, n in pairs if name_of(t)}
        self._forget(s)
        self.names.update(found)

    def _value(self, node):
        try:
            return evaluate.value(node, self.get)
        except Unknown:
            return UNKNOWN

    def _forget(self, s):
        for key in self._assigns(s):
            self.names = {k: v for k, v in self.names.items() if not k.startswith(key + ".")}
            self.names[key] = UNKNOWN

    def _assigns(self, s):
        """The names that a statement, or what is in it, may assign or change."""
        if id(s) not in self.assigned:
            found = []
            for n in ast.walk(s):
                if isinstance(n, (ast.FunctionDef, ast.ClassDef)):
                    found.append(n.name)
                held = n.value if isinstance(n, ast.Subscript) else n
                if isinstance(getattr(n, "ctx", None), (ast.Store, ast.Del)) and name_of(held):
                    found.append(name_of(held))
            self.assigned[id(s)] = found
        return self.assigned[id(s)]
