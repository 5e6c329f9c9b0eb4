"""The calls of a jitted function that is the step of a training, and what happens in between."""

import sys
import weakref
from time import perf_counter

from . import arrays, devices, epochs, events, lengths, machine, steps, syntax, training, work

LOOP = "every call of %s counts as one step, though it takes gradients in a loop of its own; samples are not counted"
STEPS = "every call of %s makes %d steps, whose times are equal parts of its own; samples are not counted"
AHEAD = "times are those of the calls of %s, which returns nothing that could be waited for; the device may be behind"
AGAIN = "it trains again, by another function (%s); only the steps of the training before are counted"

APART = 20  # calls of another function that updates, without a step in between, are another training
# Names of the number of samples in a step.
BATCHES = ("batch_size", "train_batch_size", "BATCH_SIZE", "TRAIN_BATCH_SIZE", "_BATCH_SIZE")
PER_EPOCH = ("num_steps_per_epoch", "steps_per_epoch", "num_train_steps_per_epoch")  # the same of steps in an epoch


class Steps:
    def __init__(self, search, function, parameter, fresh, fed, given, returned):
        """Places in its input and output: an array of its parameters, where it does not return these; the arrays
        that are new in every call; those of the output that it gets back."""
        self.jax, self.leaves, self.is_traced = search.jax, search.leaves, search.is_traced
        self.here, self.function, self.parameter = search.here, function, parameter
        parts = [(i, search.part(function, given[i])) for i in fresh if not _is_key(given[i], function.mapped)]
        self.batch = None if function.calls.in_loop else arrays.together(parts)
        self.result = self._smallest(returned, [i for i in range(len(returned)) if i not in fed])
        if self.result is None and not any(map(_is_gone, given)):
            self.result = self._smallest(returned, list(fed))
        self.known = weakref.ref(given[parameter]) if parameter is not None else None
        self.work = work.Work()
        self.training = None
        self.held = None  # a call that may have been a step, or evaluated: begin, end, units and shape of one
        self.other = None  # what evaluated since the last step: begin, end and result
        self.evaluating = set()  # the functions that did, by their identity
        self.untrained = search.untrained  # what others did before the first step, until one is known to evaluate
        # Of functions beside: between how many steps they were called, and the steps before the latest time.
        self.others = {}
        self.apart = 0  # calls of functions that take gradients and update, since the last step
        self.seen = self.in_epoch = 0  # units in whole epochs, and in this one; None for unknown
        self.memory_at = 0.0

    @staticmethod
    def _smallest(leaves, places):
        places = [i for i in places if hasattr(leaves[i], "block_until_ready")]
        return min(places, key=lambda i: leaves[i].size, default=None)

    def begin(self, inputs, given, returned, between):
        """Reports the calls so far, and those of others in between; False if something else is the training."""
        entered = perf_counter()
        calls, self.training = self.function.calls, training.claim(self.here, "jax")
        t = self.training
        if t is None:
            return False
        t.rank, t.world = self.jax.process_index(), self.jax.process_count()
        frames = epochs.frames_of(sys._getframe(1))
        self.epochs, self.steps = epochs.find(frames, sys.argv[1:]), steps.find(frames, sys.argv[1:])
        self.loop, self.each = calls.loop, calls.times or 1
        if self.loop.code is None and self.epochs:  # its data are those of all epochs
            self.loop.length = epochs.by_name(frames, PER_EPOCH, steps.MOST)
        if self.each > 1:
            self.loop.each, self.steps = self.each, steps.calls(frames, self.each)
        syntax.forget()
        used = (leaf.devices() for leaf in returned if hasattr(leaf, "devices"))
        self.devices = sorted(set().union(*used), key=lambda d: d.id)
        self.precision = devices.precision(self._type(*inputs), self.devices)
        self.along = self._along(given, epochs.by_name(frames, BATCHES, steps.MOST))
        self.batch_size, self.shape = self._units(given)
        name = self.function.__name__
        if calls.in_loop:
            events.warn(STEPS % (name, self.each) if self.each > 1 else LOOP % name)
        if self.result is None:
            events.warn(AHEAD % name)
        events.emit("hello", framework=self._framework())  # what output told of steps is forgotten
        evaluations, done = self._early(between), []
        for end, turned in zip(calls.ends, calls.turns):
            if turned:
                self._turn()
            done.append((end, self._next(self.batch_size), self.each, self.batch_size, evaluations.get(end)))
        t.begin(calls.begin, done, self._facts, entered)
        self._tell_untrained()
        return True

    def _early(self, between):
        """The evaluations among the calls since the first step, as (begin, end) by the end of the step before."""
        ends, found = self.function.calls.ends, {}
        placed = [(b, sum(end < b.begin for end in ends) - 1) for b in between]
        placed = [(b, gap) for b, gap in placed if 0 <= gap < len(ends) - 1]
        for b, gap in placed:
            found.setdefault(b.function, (not self._too_many(b.new), set()))[1].add(gap)
        for key, (evaluates, gaps) in found.items():
            self.others[key] = len(gaps), max(gaps) + 1, evaluates
        seldom = {
            key for key, (evaluates, gaps) in found.items() if evaluates and 2 * len(gaps) < len(ends) * self.each
        }
        early = {}
        for b, gap in placed:
            if b.function in seldom:
                self.evaluating.add(b.function)
                begin, _ = early.get(ends[gap], (b.begin, None))
                early[ends[gap]] = begin, b.end
        return early

    def _framework(self):
        return "jax " + self.jax.__version__

    def _type(self, args, kwargs):
        """The type in which most products are computed, or that of the parameters where there is none."""
        kinds = [kind for _, _, kind in self.function.calls.gradients.values()]
        try:
            kinds = devices.types_of_products(self.function.trace(*args, **kwargs).jaxpr.jaxpr) or kinds
        except Exception:  # it cannot be traced again
            return None
        return max(set(kinds), key=kinds.count)

    def _along(self, given, told):
        """The dimension of the samples: the second where the program calls its size the batch's, as of sequences."""
        shape = arrays.shape_of(given[self.batch]) if self.batch is not None and not self.function.mapped else None
        return int(bool(shape) and shape[0] != told and shape[1:2] == (told,))

    def _units(self, given):
        """Samples of a call and the shape of one; None for unknown."""
        shape = arrays.shape_of(given[self.batch]) if self.batch is not None else None
        if shape and self.function.mapped:
            shape = (shape[0] * shape[1], *shape[2:])
        return (shape[self.along], shape[: self.along] + shape[self.along + 1 :]) if shape else (None, None)

    def _facts(self):
        return dict(machine.hello(), framework=self._framework(), **devices.of_jax(self.devices)), self._model()

    def _model(self):
        world, whole, per_epoch = self.training.world, self.loop.whole, self.loop.per_epoch()
        length = lengths.shorter(self.epochs and max(self.epochs, whole), self.steps, per_epoch)
        return dict(
            params=self.function.calls.parameters(), batch_size=self.batch_size and self.batch_size * world,
            precision=self.precision, epochs=length[0], steps=length[1],
            input=self.work.shape, unit=arrays.unit(self.shape),
            train_size=self.seen / whole * world if whole and self.seen else None, iterations_per_epoch=per_epoch,
            world_size=world,
        )

    def before(self, inputs):
        """The step is about to be called with these inputs, or the program ends and they are None.

        The evaluations are over.
        """
        if self.training.idle():
            return
        if self.held is not None:
            self._decide(inputs)
        if self.other is not None:
            begin, end, result = self.other
            self.other = None
            self.training.interruption("validation", begin, end, result, epoch=self.loop.epoch, **training.EVALUATION)
            self._tell_untrained()
        if self.loop.has_turned(sys._getframe(1)):
            self._turn()
            self.training.describe(**self._model())

    def _turn(self):
        """The next step is the first of another epoch."""
        self.loop.turn()
        self.seen = None if self.seen is None or self.in_epoch is None else self.seen + self.in_epoch
        self.in_epoch = 0

    def called(self, function, begin, args, kwargs, out):
        """A function was called that no other was computing or traced for."""
        if self.training.idle():
            return
        returned = self.leaves(out)
        if self.is_traced(returned):
            return
        if function is not self.function:
            return self._beside(function, begin, (args, kwargs), returned)
        given, self.apart = self.leaves((args, kwargs)), 0
        if self.parameter is not None and given[self.parameter] is self.known():
            return  # the same parameters once more
        units, self.shape = self._units(given)
        result = None if self.result is None else returned[self.result]
        done = None if result is None else (result.is_ready, result.block_until_ready)
        if self.parameter is not None:
            self.known = weakref.ref(given[self.parameter])
            if units != self.batch_size:
                return self._hold(begin, units, done)
        self._count(units, done)

    def _count(self, units, done, at=None):
        self.training.step(done, self._next(units), self.each, units, None, at)
        self.memory()

    def _hold(self, begin, units, done):
        """A call with another number of samples is the step with an epoch's last ones, or evaluates by another set."""
        if done is not None:
            done[1]()
        self.held = begin, perf_counter(), units, self.shape

    def _decide(self, inputs):
        """The call in doubt evaluated if what follows is given the same parameters.

        After the last step no other update follows.
        """
        begin, end, units, self.shape = self.held
        self.held = None
        if inputs is None:
            evaluated = any(map(self._updates, self.others.values())) or units is None or units > self.batch_size
        else:
            evaluated = self.leaves(inputs)[self.parameter] is self.known()
        if not evaluated:
            return self._count(units, None, end)
        self.known = lambda: None
        self.other = (begin, *self.other[1:]) if self.other is not None else (begin, end, None)

    def _updates(self, calls):
        """Whether a function beside, of which this is known, changes the parameters after each step."""
        times, _, evaluates = calls
        return not evaluates and 2 * times > self.training.count

    def _next(self, units):
        """Counts a step; returns its epoch and index."""
        schedule = self.work.step(units, self.shape, self.training.count + 1)
        if schedule:
            events.warn(schedule)
        self.in_epoch = None if units is None or self.in_epoch is None else self.in_epoch + units
        return self.loop.next()

    def _beside(self, function, begin, inputs, returned):
        """Another function was called: if that is seldom and it returns no other parameters, it evaluates them."""
        count, key = self.training.count, id(function)
        times, latest, evaluates = self.others.get(key) or (0, None, not self._too_many(returns_new(function, inputs)))
        times += latest != count
        self.others[key] = times, count, evaluates
        if self.held is not None and self._updates(self.others[key]):
            begin, end, units, self.shape = self.held
            self.held = None
            self._count(units, None, end)
        if function.calls.gradients and not evaluates:
            self.apart += 1
            if self.apart == APART:
                events.warn(AGAIN % function.__name__)
        if not evaluates or 2 * times > count or not returned or self.apart >= APART:
            return
        last = returned[-1]
        result = (last.is_ready, last.block_until_ready) if hasattr(last, "block_until_ready") else None
        self.other = (self.other[0] if self.other else begin), perf_counter(), result
        self.evaluating.add(key)

    def _tell_untrained(self):
        """Of functions that have evaluated now, what they did before the first step was an evaluation, too."""
        spans = [self.untrained[key] for key in self.evaluating if key in self.untrained]
        self.evaluating.clear()
        if spans:
            self.untrained = {}
            self.training.untrained(min(begin for begin, _ in spans), max(end for _, end in spans))

    def _too_many(self, new):
        """Whether a function returns as many numbers, which it was not given, as half of the parameters."""
        return new is None or 2 * new > self.function.calls.parameters()

    def memory(self):
        """The peak use of the devices' memory, at most once a second."""
        now = perf_counter()
        if now - self.memory_at < 1:
            return
        self.memory_at = now
        for device in self.devices:
            peak, total = devices.memory(device)
            if peak is not None:
                events.emit("memory", rank=self.training.rank, peak_bytes=peak, total_bytes=total)

    def finish(self):
        """At the end of the program."""
        if self.training is not None and not self.training.idle():
            self.before(None)


def returns_new(function, inputs):
    """How many numbers a function returns without those that it hands on; None where it cannot be traced again."""
    try:
        if function.mapped:
            traced = sys.modules["jax"].make_jaxpr(function._function)(*inputs[0], **inputs[1]).jaxpr
        else:
            traced = function.trace(*inputs[0], **inputs[1]).jaxpr.jaxpr  # it was traced for the call
    except Exception:
        return None
    given = set(map(id, traced.invars))
    new = (arrays.shape_of(v.aval) for v in traced.outvars if id(v) not in given)
    return sum(arrays.elements(s) for s in new if s is not None)


def _is_key(leaf, mapped):
    """Whether it is a key of random numbers, or one for each device."""
    kind, shape = str(getattr(leaf, "dtype", "")), arrays.shape_of(leaf)
    return kind.startswith("key<") or kind == "uint32" and shape is not None and shape[mapped:] == (2,)


def _is_gone(leaf):
    """Whether its memory was given to what a call returned."""
    return hasattr(leaf, "is_deleted") and leaf.is_deleted()
