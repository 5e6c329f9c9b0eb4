"""Watches JAX: the calls of what jax.jit returned, and which of these functions is the step of a training.

Gradients that are taken outside of them are calls, too. The step is one that takes gradients, and either gets
back what it returned, parameters and the optimizer's state, or takes them of parameters that have changed since.
"""

import functools
import sys
import types
import weakref
from time import perf_counter

from . import (
    arrays, control, epoch_loop, epochs, events, guard, imports, jax_loops, jax_steps, savers, syntax, training,
)
from .guard import guarded

# Calls between the first steps that are remembered.
MOST_BETWEEN = 1024


def when_imported(here):
    imports.after("jax", lambda: _install(here))


def _install(here):
    jax = sys.modules["jax"]
    search = Search(jax, here)
    try:
        jax.jit, jax.pmap = _jit(search, jax.jit), _jit(search, jax.pmap, mapped=True)
        for name in ("scan", "fori_loop", "while_loop", "map"):
            setattr(jax.lax, name, _loop(search, name, getattr(jax.lax, name)))
        training.ends.append(search.finish)
        savers.wrap_of_jax(search)
        jax.grad, jax.value_and_grad = _grad(search, jax.grad), _grad(search, jax.value_and_grad)
    except Exception as err:
        search.give_up(err)


def _jit(search, jit, mapped=False):
    @functools.wraps(jit)
    def watched(*args, **kwargs):
        made = jit(*args, **kwargs)
        if hasattr(made, "lower"):
            return Jitted(search, made, mapped)
        return lambda *a, **k: Jitted(search, made(*a, **k), mapped)  # jax.jit with options only

    return watched


def _grad(search, grad):
    @functools.wraps(grad)
    def watched(fun, argnums=0, *args, **kwargs):
        take = grad(fun, argnums, *args, **kwargs)

        @functools.wraps(take)
        def taken(*a, **k):
            place = search.place(sys._getframe(1), a)
            if place is not None:
                return place.take(fun, take, argnums, a, k)
            search.differentiated(argnums, a)
            return take(*a, **k)

        return taken

    return watched


def _loop(search, name, loop):
    @functools.wraps(loop)
    def watched(*args, **kwargs):
        return search.within(name, loop, args, kwargs)

    return watched


class Jitted:
    """A jitted function, which can do all that the original can.

    Of one that is mapped each device has its part of every array, the first dimension.
    """

    def __init__(self, search, function, mapped=False):
        functools.update_wrapper(self, function)
        self._function, self._search, self.mapped = function, search, mapped
        self.calls = Calls()

    def __call__(self, *args, **kwargs):
        search = self._search
        if search.loops.active:  # it may be traced apart
            return search.within("jit", self._function, args, kwargs)
        if search.over or search.inside:
            return self._function(*args, **kwargs)
        return self.call((args, kwargs), lambda: self._function(*args, **kwargs))

    def call(self, inputs, function):
        """What the function returns, which is given these and computes nothing that is watched apart."""
        search = self._search
        search.before(self, inputs)
        begin = perf_counter()
        search.inside = self.calls
        try:
            out = function()
        finally:
            search.inside = None
        search.called(self, begin, *inputs, out)
        if search.steps is not None and search.steps.function is self:
            search.steps.training.stop_if_asked()
        return out

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, name):
        return getattr(self._function, name)

    def __repr__(self):
        return repr(self._function)

    def __reduce__(self):
        return _same, (self._function,)

    def lower(self, *args, **kwargs):
        return self._function.lower(*args, **kwargs)

    def trace(self, *args, **kwargs):
        return self._function.trace(*args, **kwargs)

    def eval_shape(self, *args, **kwargs):
        return self._function.eval_shape(*args, **kwargs)

    def clear_cache(self):
        return self._function.clear_cache()


def _same(function):
    return function


class Place(Jitted):
    """Where a program takes gradients outside of any jitted function, as if those were one."""

    def __init__(self, search, name):
        self._function, self._search, self.mapped, self.__name__ = None, search, False, name
        self.calls = Calls()

    def take(self, function, gradients, argnums, args, kwargs):
        """The gradients of a function, which was made for this step and may hold its batch."""
        def taken():
            self._search.differentiated(argnums, args)
            return gradients(*args, **kwargs)

        self._function = gradients
        return self.call((args, dict(kwargs, held=_held(function))), taken)

    def trace(self, *args, held, **kwargs):
        made = sys.modules["jax"].make_jaxpr(functools.partial(self._function, **kwargs))(*args)
        return types.SimpleNamespace(jaxpr=made)


def _held(function):
    """What a function that was defined within another one has from it."""
    held = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:  # nothing yet
            pass
    return held


class Calls:
    """What is known of a function from its calls, while the step is looked for."""

    def __init__(self):
        # The parameters of which it takes gradients: (number, shapes, type), by their tree and shapes.
        self.gradients = {}
        self.given = self.returned = ()  # weak: arrays of the latest call
        # It takes them in a loop of its own, and makes so many steps in a call; None for unknown.
        self.in_loop, self.times = False, 1
        self.begin = None  # of the first call
        self.ends = []  # of the calls that are steps, if it is the step; on the device
        self.loop, self.turns = None, []  # the program's over epochs, and whether it had gone on before each of these

    def follow(self, frame):
        """Notes in which round of the program's loop a step is made."""
        if self.loop is None:
            self.loop = epoch_loop.find(epochs.frames_of(frame))
            syntax.forget()
        self.turns.append(self.loop.has_turned(frame))

    def parameters(self):
        return sum(number for number, _, _ in self.gradients.values())


class Search:
    """Looks for the function that is the step of a training; from then on its calls are told."""

    def __init__(self, jax, here):
        self.jax, self.here = jax, here
        self.leaves = jax.tree_util.tree_leaves
        self.over = False  # nothing is to be recorded any more
        self.most = control.most_steps()
        self.loops = jax_loops.Loops(self.leaves)
        self.inside = None  # calls of the function that computes, or is traced
        self.places = {}  # where gradients are taken outside of them, by code and instruction
        self.pause_kind = False
        self.begun = False  # something was called that may be a step
        self.untrained = {}  # from when to when others were called before, by their identity
        self.between = []  # calls of others since
        self.steps = None  # of the training, once it is found

    @guarded
    def place(self, frame, args):
        """That at which gradients of these are taken; None in a function that is traced, or where none are watched."""
        if self.over or self.inside is not None or self.loops.active or any(map(self.is_tracer, self.leaves(args))):
            return None
        key = frame.f_code, frame.f_lasti
        if key not in self.places:
            self.places[key] = Place(self, frame.f_code.co_name)
        return self.places[key]

    def give_up(self, err):
        self.over = True
        if self.steps is not None:
            return self.steps.training.give_up(err)
        events.warn("this program's JAX is not watched: " + guard.words(err))

    @guarded
    def differentiated(self, argnums, args):
        """Gradients are taken of some arguments of a function, in a function that is traced."""
        if self.over or self.inside is None:
            return
        calls = self.inside
        for n in argnums if isinstance(argnums, (tuple, list)) else (argnums,):
            if n < len(args):
                leaves, tree = self.jax.tree_util.tree_flatten(args[n])
                shapes = tuple(s for s in map(arrays.shape_of, leaves) if s is not None)
                if shapes:
                    kind, times = (
                        str(leaves[0].dtype) if hasattr(leaves[0], "dtype") else None, self.loops.times(leaves[0])
                    )
                    calls.times = times if not calls.gradients or calls.times == times else None
                    calls.in_loop = calls.in_loop or bool(self.loops.active)
                    calls.gradients[(tree, shapes)] = sum(map(arrays.elements, shapes)), shapes, kind

    def within(self, name, call, args, kwargs):
        """Calls what repeats, or traces apart, what is in it, while a function is traced."""
        entered = self.inside is not None and not self.over and self._enter(name, args, kwargs)
        try:
            return call(*args, **kwargs)
        finally:
            if entered:
                self.loops.leave()

    @guarded
    def _enter(self, name, args, kwargs):
        self.loops.enter(name, args, kwargs)
        return True

    @guarded
    def before(self, function, inputs):
        """A function is about to be called with these."""
        if self.steps is not None and self.steps.function is function:
            self.steps.before(inputs)

    @guarded
    def finish(self):
        if self.steps is not None:
            self.steps.finish()

    @guarded
    def attempt(self, call, *args):
        """Calls a function that has no guard of its own."""
        return call(*args)

    @guarded
    def saving(self, *_):
        """A checkpoint is about to be written: when, or None if it is part of another, or none of the training."""
        if self.pause_kind or self.over or self.steps is None or self.steps.training.idle():
            return None
        self.pause_kind = self.steps.training.checkpoint(sys._getframe(1))
        return perf_counter()

    @guarded
    def saved(self, begin):
        kind, self.pause_kind = self.pause_kind, False
        self.steps.training.interruption("pause", begin, perf_counter(), kind=kind)

    def is_traced(self, leaves):
        return bool(leaves) and self.is_tracer(leaves[0])

    def is_tracer(self, leaf):
        return isinstance(leaf, self.jax.core.Tracer)

    @guarded
    def called(self, function, begin, args, kwargs, out):
        """A function was called that no other was computing or traced for."""
        if self.steps is not None:
            return self.steps.called(function, begin, args, kwargs, out)
        given, returned = self.leaves((args, kwargs)), self.leaves(out)
        calls = function.calls
        if self.is_traced(returned) or self.is_traced(given):
            return
        if not calls.gradients:
            return self._beside(function, begin, (args, kwargs), returned)
        first = not calls.ends
        before, came = _ids(calls.given), _ids(calls.returned)
        back = [i for i, leaf in enumerate(given) if id(leaf) in came]
        own = {s for _, shapes, _ in calls.gradients.values() for s in shapes}
        changed = [i for i, leaf in enumerate(given) if i not in back and id(leaf) not in before]
        moved = [i for i in changed if self.part(function, given[i]) == max(own, key=arrays.elements)]
        calls.given, calls.returned = _weak(given), _weak(returned)
        if first:
            calls.begin = begin
        elif not back and not moved:
            return  # the same parameters once more
        self.jax.block_until_ready(returned)  # as the first call does in effect: it was compiled
        calls.ends.append(perf_counter())
        calls.follow(sys._getframe(1))
        self.begun = True
        if not first and (back or len(calls.ends) > 2) and not self._in_doubt(calls):
            fed = {came[id(given[i])] for i in back}
            state = back or [i for i, leaf in enumerate(given) if self.part(function, leaf) in own]
            fresh = [i for i in changed if i not in state] or [i for i in range(len(given)) if i not in state]
            steps = jax_steps.Steps(self, function, None if back else moved[0], fresh, fed, given, returned)
            if steps.begin((args, kwargs), given, returned, self.between):
                self.steps = steps
            else:
                self.over = True

    @staticmethod
    def part(function, leaf):
        """The shape of an array, or of what one device has of it."""
        shape = arrays.shape_of(leaf)
        return shape[1:] if function.mapped and shape else shape

    def _beside(self, function, begin, inputs, returned):
        """A function without gradients was called: it may evaluate the parameters before, or after, the first step."""
        known = self.between if self.begun else self.untrained
        if len(known) >= MOST_BETWEEN:
            return
        self.jax.block_until_ready(returned)
        end, key = perf_counter(), id(function)
        if self.begun:
            self.between.append(Beside(key, begin, end, jax_steps.returns_new(function, inputs)))
        else:
            self.untrained[key] = self.untrained.get(key, (begin,))[0], end

    def _in_doubt(self, calls):
        """Whether something was called after the first step: only the next one shows if it is after each."""
        return len(calls.ends) == 2 and self.most != 2 and any(b.begin > calls.ends[0] for b in self.between)


class Beside:
    """A call of a function that is not the step: its identity, times, and how many new numbers it returned."""

    def __init__(self, function, begin, end, new):
        self.function, self.begin, self.end, self.new = function, begin, end, new


def _ids(refs):
    """The places of those that are still there, by their identity."""
    return {id(ref()): i for i, ref in enumerate(refs) if ref is not None and ref() is not None}


def _weak(leaves):
    return [weakref.ref(leaf) if hasattr(leaf, "block_until_ready") else None for leaf in leaves]

