"""Wraps what a training calls: optimizers' step, loaders, module modes and autocast, and what saves.

It does so once, right after the program imported PyTorch, and invisibly:
classes stay the same classes, instances get no new attributes that would be
pickled or copied. The wrappers' own code is guarded, see guard.py.
"""

import functools
import os
import sys
from time import perf_counter

from . import compiled, events, graphs, guard, imports, language, loaders, pipelines, savers, uncaught

recorder = None

OTHERS = ("jax", "tensorflow")  # that may compute beside PyTorch

# What CUDA, PyTorch's CPU allocator, cuBLAS and cuDNN say.
NO_MEMORY = ("out of memory", "can't allocate memory", "STATUS_ALLOC_FAILED", "ALLOCATION_FAILED")


def when_imported(here):
    """Wraps everything as soon as torch is imported, or now if it already is."""
    imports.after("torch", lambda: _install(here))


def _install(here):
    try:
        _wrap_all(here)
    except Exception as err:
        events.warn("this program's torch cannot be watched: " + guard.words(err))
        if recorder is not None:
            recorder.off = True  # some of it is wrapped


def _wrap_all(here):
    global recorder
    import atexit

    torch = sys.modules["torch"]
    from torch.utils.data import dataloader

    from .recorder import Recorder

    recorder = r = Recorder(torch, here)
    _optimizers(r, torch.optim.Optimizer)
    # fastai has optimizers of its own.
    imports.after("fastai.optimizer", lambda: r.attempt(_optimizers, r, sys.modules["fastai.optimizer"].Optimizer))
    imports.after(
        "deepspeed.runtime.engine",
        lambda: r.attempt(_engine, r, sys.modules["deepspeed.runtime.engine"].DeepSpeedEngine),
    )
    _scalers(r, torch)
    _loaders(r, dataloader)
    _modules(r, torch.nn.Module)
    _autocast(r, torch.autocast)
    _backward(r, torch)
    r.sharing.watch(r.attempt)
    savers.wrap(r, torch)
    pipelines.watch(r)
    imports.after("torch.optim.swa_utils", lambda: r.attempt(_averages, r, sys.modules["torch.optim.swa_utils"]))
    r.attempt(graphs.watch, r, torch)
    _compiled(r, torch, _first_forward(r, torch))
    r.attempt(_announce, r)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=functools.partial(_after_fork, r))
    atexit.register(_at_exit, r)


def _announce(r):
    """Until something is computed, a progress bar is not one of a training: programs show the loading of their data."""
    if any(name in sys.modules for name in OTHERS):
        return
    r.computes = False
    events.emit("hello", computes=False)
    for name in OTHERS:
        imports.after(name, r.computing)


def _after_fork(r):
    try:
        events.after_fork()
        r.reset()
    except Exception as err:
        r.give_up(err)


def _at_exit(r):
    try:
        r.finish()
        _say_out_of_memory(r.torch)
    except Exception as err:
        events.warn("the end was not recorded: " + guard.words(err))


def _say_out_of_memory(torch):
    """Reports that the program ended by an uncaught out-of-memory exception."""
    err = getattr(sys, "last_value", None)
    kinds = tuple(k for k in (getattr(torch.cuda, "OutOfMemoryError", None), MemoryError) if k is not None)
    lacking = isinstance(err, RuntimeError) and any(words in str(err) for words in NO_MEMORY)
    if err is not None and (isinstance(err, kinds) or lacking):
        first = (str(err).splitlines() or [type(err).__name__])[0]
        events.emit("error", message="out of memory: " + first[:500])
        events.emit("done", reason="oom")
        uncaught.told = True


def _optimizers(r, base):
    init, setstate = base.__init__, getattr(base, "__setstate__", None)

    @functools.wraps(init)
    def __init__(self, *args, **kwargs):
        init(self, *args, **kwargs)
        r.attempt(_step, r, type(self), _stepping)
        r.built(self)

    base.__init__ = __init__
    if setstate is None:
        return

    @functools.wraps(setstate)
    def __setstate__(self, state):
        setstate(self, state)
        r.attempt(_step, r, type(self), _stepping)

    base.__setstate__ = __setstate__


def _stepping(args, kwargs):
    """The optimizer in the arguments of its own step, which PyTorch requires to be positional."""
    return args[0]


def _scaled(args, kwargs):
    """The optimizer in the arguments of a scaler's step."""
    return args[1] if len(args) > 1 else kwargs["optimizer"]


def _engine(r, cls):
    """DeepSpeed's engine steps its optimizer once per group of parameters, and hides these from it before and after."""

    def optimizer_of(args, kwargs):
        r.computes_on = args[0].device
        return language.unwrapped(args[0].optimizer)

    _step(r, cls, optimizer_of, "_take_model_step")


def _step(r, cls, of, name="step"):
    """Wraps cls.step, or what else is of this name, once; of finds the optimizer in the step's arguments."""
    step = getattr(cls, name, None)
    if step is None or getattr(step, "_sweetspot_watched", False):
        return

    is_compiling = compiled.is_compiling_of(r.torch)

    @functools.wraps(step)
    def watched(*args, **kwargs):
        if is_compiling() or not r.enter():
            return step(*args, **kwargs)
        try:
            result = step(*args, **kwargs)
        finally:
            r.leave()
        r.stepped(of, args, kwargs)
        return result

    watched._sweetspot_watched = True
    # Programs unwrap a step to compile it, as often as they know to.
    watched.__wrapped__ = getattr(step, "__wrapped__", step)
    setattr(cls, name, watched)


def _scalers(r, torch):
    """A step that a gradient scaler skips is an iteration too."""
    for module in (getattr(torch, "amp", None), torch.cuda.amp):
        scaler = getattr(module, "GradScaler", None)
        if scaler is not None and "step" in vars(scaler):
            _step(r, scaler, _scaled)


def _loaders(r, module):
    begin_pass, fetch = module.DataLoader.__iter__, module._BaseDataLoaderIter.__next__
    make = module._BaseDataLoaderIter.__init__

    @functools.wraps(begin_pass)
    def __iter__(self):
        begin = r.beginning()
        iterator = begin_pass(self)
        if issubclass(type(iterator), module._BaseDataLoaderIter):  # the program may give its own
            r.began(self, iterator, begin)
        return iterator

    @functools.wraps(make)
    def __init__(self, loader):
        make(self, loader)
        if type(loader).__iter__ is not module.DataLoader.__iter__:
            r.keeps(loader, self)

    @functools.wraps(fetch)
    def __next__(self):
        p, kept = self.__dict__.get("_sweetspot_pass"), self.__dict__.get("_sweetspot_kept")
        if kept is not None and not kept.given:  # its first pass begins here, though it may be older
            p = r.goes_on(self, kept)
        if r.given_all is not None:
            if kept is None and r.given_all[0] is p:
                r.given_all = None  # it is asked for one more, and so exhausted
            else:
                r.over()
        if p is None:
            p = r.stand_in(self)
        if p is None or r.off or r.paused:
            batch = fetch(self)
            if p is not None:
                p.skip()
            return batch
        if r.gradients is not None:
            r.look_back()
        if r.open is not None:
            r.asking(p)
        begin = perf_counter()
        try:
            batch = fetch(self)
        except StopIteration:
            r.exhausted(p, perf_counter() - begin)
            raise
        if kept is not None and kept.turns():
            p = r.goes_on(self, kept) or p
        r.got(p, batch, perf_counter() - begin)
        if kept.given % kept.batches == 0 if kept is not None else p.is_last():
            r.given_all = p, r.torch.is_grad_enabled()
        return batch

    draw = module._BaseDataLoaderIter._next_index

    @functools.wraps(draw)
    def _next_index(self):
        index = draw(self)
        try:
            if not r.off:
                loaders.draw(self, index)
        except Exception as err:
            r.give_up(err)
        return index

    module.DataLoader.__iter__, module._BaseDataLoaderIter.__next__ = __iter__, __next__
    module._BaseDataLoaderIter.__init__, module._BaseDataLoaderIter._next_index = __init__, _next_index


def _modules(r, base):
    train, is_compiling = base.train, compiled.is_compiling_of(r.torch)

    @functools.wraps(train)
    def watched(self, mode=True):
        if is_compiling():
            return train(self, mode)
        if r.untrained is not None and not r.untrained.inside:
            r.switching(self, mode)
            try:
                return train(self, mode)
            finally:
                r.switched()
        if id(self) in r.facts.watched or r.open is not None and type(self) in r.facts.kinds:
            r.mode(self, mode)
        return train(self, mode)

    base.train = watched


def _autocast(r, cls):
    enter = cls.__enter__

    @functools.wraps(enter)
    def __enter__(self):
        if r.count == 0:
            r.autocast(self)
        return enter(self)

    cls.__enter__ = __enter__


def _backward(r, torch):
    """Only the outermost pass counts: checkpointing has others within it."""
    backward, is_compiling = torch.autograd.backward, compiled.is_compiling_of(torch)

    @functools.wraps(backward)
    def watched(*args, **kwargs):
        if is_compiling() or not r.differentiating(args, kwargs):
            return backward(*args, **kwargs)
        result = backward(*args, **kwargs)
        r.differentiated()
        return result

    torch.autograd.backward = watched
    grad = torch.autograd.grad

    @functools.wraps(grad)
    def counted(*args, **kwargs):
        if not is_compiling():
            r.backwards += 1
        return grad(*args, **kwargs)

    torch.autograd.grad = counted


def _averages(r, module):
    """The passes in which an average of networks takes its statistics again are no validations."""
    update = module.update_bn

    @functools.wraps(update)
    def update_bn(*args, **kwargs):
        r.averages = True
        try:
            return update(*args, **kwargs)
        finally:
            r.averages = False

    module.update_bn = update_bn


def _compiled(r, torch, forward_hook):
    """What is compiled computes where its work cannot be counted, nor the first forward pass be seen."""
    export = getattr(torch, "export", None)
    if hasattr(torch, "compile"):
        torch.compile = _unseen(r, torch.compile, forward_hook, then=_stand_aside)
    if hasattr(export, "export"):  # a strict one is compiled
        export.export = _unseen(r, export.export, forward_hook, when="strict")


def _unseen(r, compiling, forward_hook, then=None, when=None):
    """Wraps a function that compiles what it is given, always or where its argument of the name `when` says so."""
    always = when is None or (getattr(compiling, "__kwdefaults__", None) or {}).get(when)

    def is_unseen():
        r.computing()
        r.attempt(r.flops.give_up)
        r.attempt(forward_hook.remove)
        if r.untrained is not None:
            r.untrained.blind = True

    @functools.wraps(compiling)
    def compile(*args, **kwargs):
        if then is None and kwargs.get(when, always):
            is_unseen()
        result = compiling(*args, **kwargs)
        if then is not None and result not in args[:1]:  # else the compiler is off
            is_unseen()
            r.attempt(then, r)
            r.attempt(_watch_batches, r, result)
        return result

    return compile


def _watch_batches(r, network):
    """Sees what a compiled network is given until the first step; the call to it is none of what is compiled."""
    run = vars(network).get("forward") if isinstance(network, r.torch.nn.Module) else None
    if run is None or r.count:
        return

    @functools.wraps(run)
    def forward(*args, **kwargs):
        if r.count == 0:
            r.given_compiled(network, args)
        elif network.forward is forward:
            network.forward = run
        return run(*args, **kwargs)

    network.forward = forward


def _stand_aside(r):
    """PyTorch may have unwrapped the optimizers' steps, to compile them."""
    for o in r.optimizers:
        if o() is not None:
            _step(r, type(o()), _stepping)
    own = {kind.__module__ for kind in type(r).__mro__} | {__name__}
    compiled.stand_aside(r, [sys.modules[name] for name in own if name.startswith(__package__ + ".")])


def _first_forward(r, torch):
    """Records when the first forward pass of the training began."""

    def before(module, inputs):
        r.forward(module, inputs, handle)

    handle = torch.nn.modules.module.register_module_forward_pre_hook(before)
    return handle
