"""Programs that compile with torch.compile: they compile what they would without us, and it is told how long that took.

Where the compiler traces through one of our wrappers, torch.compiler.is_compiling() is
constant there and leads past us, so that no graph breaks. Where the wrapper runs by itself,
between two graphs, its frame is not compiled, and nothing that it calls.
"""

import sys
import types

# What the wrappers call of the recorder, in code that may run between two graphs.
ENTRIES = (
    "attempt", "began", "beginning", "built", "differentiated", "differentiating", "exhausted", "given_compiled", "got",
    "mode", "saved", "saving", "stepped", "switched", "switching",
)


def is_compiling_of(torch):
    """torch.compiler.is_compiling, or a stand-in where PyTorch does not compile whole functions yet."""
    return getattr(getattr(torch, "compiler", None), "is_compiling", None) or (lambda: False)


def is_traced(torch, inputs):
    """Whether a module with these inputs is written down, as by torch.jit.trace, torch.export or torch.fx.

    Looking at a tensor's size would be written down, too.
    """
    state, modes = (getattr(torch._C, n, _none) for n in ("_get_tracing_state", "_len_torch_dispatch_stack"))
    return bool(state() or modes()) or any(isinstance(x, torch.fx.Proxy) for x in inputs)


def _none():
    return None


def stand_aside(r, modules):
    """After the program's first torch.compile: the compiler leaves these modules' and the recorder's code alone."""
    dynamo = sys.modules.get("torch._dynamo")
    if dynamo is None or r.stands_aside:
        return
    r.stands_aside = True
    for module in modules:
        for code in codes(module):
            dynamo.eval_frame.skip_code(code)
    for name in ENTRIES:
        setattr(r, name, dynamo.disable(getattr(r, name)))
    _tell_of_compiling(r)


def codes(module):
    """The code of a module's functions and of the classes' methods, with what is defined in it."""
    own = [v for v in vars(module).values() if getattr(v, "__module__", None) == module.__name__]
    for kind in [v for v in own if isinstance(v, type)]:
        own += vars(kind).values()
    found = [v.__code__ for v in own if isinstance(v, types.FunctionType)]
    for code in found:  # grows
        found += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return found


def _tell_of_compiling(r):
    """Times what the compiler does, which belongs to no step. Before PyTorch 2.5 it does not tell."""
    handler = getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)
    if handler is None:
        return
    begun = []

    def begin(*_):
        begun[:] = [r.attempt(r.clock.mark)]

    def end(*_):
        if begun:
            r.compiled(begun.pop())

    handler.register_start_callback(begin)
    handler.register_end_callback(end)
