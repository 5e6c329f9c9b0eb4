"""Watches Keras 3: what fit, evaluate and predict tell their callbacks, the batches, and what is saved.

Nothing is added to the program's list of callbacks, since their methods decide how Keras runs: the
list itself is wrapped.
"""

import functools
import math
import sys
from time import perf_counter

from . import arrays, clock, devices, events, fits, guard, imports, machine, training, work
from .guard import guarded

PACKAGE = "keras.src."


def when_imported(here):
    fit = Fit(here)
    for module, wrap in (
        ("callbacks.callback_list", lambda m: _callbacks(fit, m.CallbackList)),
        ("trainers.epoch_iterator", lambda m: _sources(fit, m.EpochIterator)),
        ("backend.jax.trainer", lambda m: _batches(fit, m.JAXEpochIterator)),
        ("backend.torch.trainer", lambda m: _batches(fit, m.TorchEpochIterator)),
        ("saving.saving_api", lambda m: _saves(fit, m)),
    ):
        imports.after(PACKAGE + module, functools.partial(fit.install, PACKAGE + module, wrap))


class Whole:
    """Whole epochs, the steps in them, and the units of each if all have as many."""

    def __init__(self):
        self.epochs, self.steps, self.units = 0, 0, None

    def add(self, steps, units):
        self.units = units if not self.epochs or self.units == units else None
        self.epochs, self.steps = self.epochs + 1, self.steps + steps


class Fit:
    """What is trained by fit, in one call of it or several."""

    def __init__(self, here):
        self.here = here
        self.training = None
        self.work = work.Work()
        self.created = self.source = None  # the latest iterator over batches, and that of this training
        self.clock = None  # of PyTorch's device
        self.calls = fits.Calls()
        self.before = 0  # epochs of earlier calls
        self.all, self.own = Whole(), Whole()  # epochs of all calls, and of the one that is under way
        self.within = []  # interruptions that are under way

    @guarded
    def install(self, module, wrap):
        wrap(sys.modules[module])

    def give_up(self, err):
        if self.training is not None:
            return self.training.give_up(err)
        events.warn("this program's Keras cannot be watched: " + guard.words(err))

    def active(self):
        return self.training is not None and not self.training.idle()

    @guarded
    def train_begins(self, callbacks):
        t = training.claim(self.here, "keras")
        if t is None:
            return
        if self.training is None:
            self.training, self.began = t, perf_counter()
            events.emit("hello", framework=framework())  # from now on no progress bar need be read for steps
        params = callbacks.params or {}
        self.model = callbacks._model  # callbacks.model would wait for JAX
        self.source, self.first, self.own = self.created, None, Whole()
        self.length, self.epochs = params.get("steps"), params.get("epochs")
        self.sizes, self.seen, self.wait, self.shape, self.asked = [], False, 0.0, None, False
        if backend() == "torch":
            self.device = next(iter(self.model.parameters())).device
            timed = clock.of(sys.modules["torch"], self.device, training.AHEAD)
            self.clock = None if timed is None or timed.immediate else timed

    @guarded
    def epoch_begins(self, epoch):
        if self.active():
            self.first = epoch if self.first is None else self.first  # a training that is resumed begins later
            self.epoch, self.index = self.before + epoch - self.first, 0
            self.fetched = self.in_epoch = 0  # batches and units
            self.within.clear()

    def got(self, source, batch, seconds):
        """A batch, after a wait; it counts if it is fit's."""
        try:
            if source is self.source and self.active():
                size, self.shape = arrays.batch(batch)
                self.sizes.append(size)
                self.seen = True
                self.wait += seconds
        except Exception as err:
            self.give_up(err)

    @guarded
    def batch_ended(self, batch, logs):
        """A step of the optimizer, or several in one execution, or one of the batches that it adds up."""
        if not self.active() or self.first is None:
            return
        if not self.asked and self.epochs:
            self.asked = True  # in this call of fit
            self.calls.begins(sys._getframe(), self.epochs - self.first, self.before)
        if not self.seen:
            self.sizes += self._expected(batch + 1 - self.fetched)
        self.fetched = batch + 1
        steps = len(self.sizes) // self.accumulated()
        if steps == 0:
            return
        taken, self.sizes = self.sizes[: steps * self.accumulated()], self.sizes[steps * self.accumulated() :]
        units = None if None in taken else sum(taken)
        self.in_epoch = None if units is None or self.in_epoch is None else self.in_epoch + units
        self._step(steps, units, self._result(logs))
        self.index, self.wait = self.index + steps, 0.0

    def _expected(self, n):
        """The sizes of the next batches where these are not seen, as TensorFlow's."""
        size, part = self._size()
        last = part and self.length == self.fetched + n
        return [size] * (n - 1) + [part if last else size]

    def _size(self):
        """Samples in a batch and in the last one of an epoch, which may be smaller; None for unknown."""
        try:
            adapter = self.source.data_adapter
            size, part, whole = adapter.batch_size, adapter.partial_batch_size, self.length == adapter.num_batches
        except Exception:  # not every kind of data has them
            return None, None
        return size if isinstance(size, int) else None, part if whole and isinstance(part, int) else None

    def accumulated(self):
        """Batches to a step of the optimizer."""
        return getattr(getattr(self.model, "optimizer", None), "gradient_accumulation_steps", None) or 1

    def _result(self, logs):
        """The result of a step as for a Follower; None where the device was done when it returned."""
        if self.clock is not None:
            mark = self.clock.mark()
            return (lambda: self.clock.ready(mark)), (lambda: self.clock.wait(mark))
        found = next((v for v in (logs or {}).values() if hasattr(v, "block_until_ready")), None)
        return None if found is None else (found.is_ready, found.block_until_ready)

    def _step(self, steps, units, result):
        t = self.training
        each = None if units is None else round(units / steps)
        schedule = self.work.step(each, self.shape, t.count + steps)
        if schedule:
            events.warn(schedule)
        if t.count == 0:
            self.batch_size = each
            if result is not None:
                result[1]()
            end = perf_counter()
            t.begin(self.began, [(end, (0, 0), steps, units, None)], self._facts, end)
        else:
            t.step(result, (self.epoch, self.index), steps, units, self.wait if self.seen else None)

    @guarded
    def epoch_ended(self):
        if not self.active() or (self.length and self.fetched < self.length):
            return
        for counts in (self.all, self.own):
            counts.add(self.index, self.in_epoch)
        if self.training.count:
            self.training.describe(**self._model())

    @guarded
    def train_ended(self):
        if self.active():
            self.before, self.source, self.epochs = self.all.epochs, None, None
            if self.training.count:
                self.training.describe(**self._model())

    # What is told.

    def _facts(self):
        hello = dict(machine.hello(), framework=framework())
        if backend() == "jax":
            hello.update(devices.of_jax(devices.local()))
        elif self.clock is not None:
            torch = sys.modules["torch"]
            if self.device.type == "cuda":
                used = machine.gpus(torch, {self.device.index or 0})
                hello.update(gpus=used, cuda=torch.version.cuda, driver=machine.driver())
        return hello, self._model()

    def _model(self):
        epochs = self.calls.epochs() or self.all.epochs
        per_epoch, size = self._epoch()
        return dict(
            params=self._params(), batch_size=self.work.batch() or self.batch_size, precision=self._precision(),
            epochs=epochs, network=type(self.model).__name__, input=self.work.shape, unit=arrays.unit(self.shape),
            train_size=size, iterations_per_epoch=per_epoch, world_size=self.training.world,
            schedule=self.calls.schedule,
        )

    def _params(self):
        """Those of all layers. Keras itself does not count a model's that is never built as a whole."""
        return sum(math.prod(w.shape) for w in {id(w): w for w in self.model.weights}.values())

    def _epoch(self):
        """Iterations and samples of an epoch, as counted, else as Keras expects them.

        Several calls of fit may be given different sets: then it is of the one that is under way, and after it of all,
        with samples unknown.
        """
        counts = self.own if self.source is not None else self.all
        if counts.epochs:
            return counts.steps / counts.epochs, counts.units
        if not self.length:
            return (self.all.steps / self.all.epochs, None) if self.all.epochs else (None, None)
        size, part = self._size()
        return self.length / self.accumulated(), size and self.length * size - (size - part if part else 0)

    def _precision(self):
        kind = getattr(getattr(self.model, "dtype_policy", None), "compute_dtype", None)
        return devices.precision(kind, devices.local() if backend() == "jax" else ())

    # What happens between steps.

    @guarded
    def interrupted(self):
        self.within.append(perf_counter())

    @guarded
    def resumed(self, event, **fields):
        """What began last has ended; it is told unless it was part of something else."""
        begin = self.within.pop() if self.within else None
        if begin is not None and not self.within and self.active() and self.training.count:
            if event == "validation":
                fields = dict(epoch=self.epoch, metric=None, value=None, units=None)
            self.training.interruption(event, begin, perf_counter(), **fields)


def framework():
    keras = sys.modules["keras"]
    version = getattr(sys.modules.get(backend()), "__version__", "")
    return ("keras %s, %s %s" % (keras.__version__, backend(), version)).strip()


def backend():
    return sys.modules[PACKAGE + "backend"].backend()


def _callbacks(fit, cls):
    def wrap(name, before=None, after=None):
        method = getattr(cls, name)

        @functools.wraps(method)
        def watched(self, *args, **kwargs):
            if before is not None:
                before(self, *args, **kwargs)
            result = method(self, *args, **kwargs)
            if after is not None:
                after(self, *args, **kwargs)
            return result

        setattr(cls, name, watched)

    def stop(self, *_, **__):
        if fit.training is not None:
            fit.training.stop_if_asked()

    wrap("on_train_begin", lambda self, logs=None: fit.train_begins(self))
    wrap("on_epoch_begin", lambda self, epoch, logs=None: fit.epoch_begins(epoch))
    wrap("on_train_batch_end", lambda self, batch, logs=None: fit.batch_ended(batch, logs), stop)
    wrap("on_epoch_end", lambda self, epoch, logs=None: fit.epoch_ended())
    wrap("on_train_end", after=lambda self, logs=None: fit.train_ended())
    wrap("on_test_begin", lambda self, logs=None: fit.interrupted())
    wrap("on_test_end", after=lambda self, logs=None: fit.resumed("validation"))
    wrap("on_predict_begin", lambda self, logs=None: fit.interrupted())
    wrap("on_predict_end", after=lambda self, logs=None: fit.resumed("pause", kind="prediction"))


def _sources(fit, cls):
    init = cls.__init__

    @functools.wraps(init)
    def __init__(self, *args, **kwargs):
        init(self, *args, **kwargs)
        fit.created = self

    cls.__init__ = __init__
    _batches(fit, cls)


def _batches(fit, cls):
    begin = cls._get_iterator

    @functools.wraps(begin)
    def _get_iterator(self):
        return Batches(fit, self, begin(self))

    cls._get_iterator = _get_iterator


class Batches:
    """An iterable over the batches that Keras trains or evaluates with, and its own iterator."""

    def __init__(self, fit, source, batches):
        self._fit, self._source, self._batches = fit, source, batches

    def __iter__(self):
        return Batches(self._fit, self._source, iter(self._batches))

    def __next__(self):
        begin = perf_counter()
        batch = next(self._batches)
        self._fit.got(self._source, batch, perf_counter() - begin)
        return batch


def _saves(fit, module):
    for name in ("save_model", "save_weights"):
        save = getattr(module, name)

        @functools.wraps(save)
        def saving(*args, _save=save, **kwargs):
            kind = fit.training and fit.training.checkpoint(sys._getframe(1))
            fit.interrupted()
            try:
                return _save(*args, **kwargs)
            finally:
                fit.resumed("pause", kind=kind)

        setattr(module, name, saving)
