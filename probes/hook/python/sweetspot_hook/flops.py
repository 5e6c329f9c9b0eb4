"""What the forward passes of the first iteration compute: operations, activations and layers.

While a module computes, a mode of torch.overrides sees the functions that it calls,
and looks at the shapes of what they take and return. The functions themselves run as
ever: the mode is gone while they do.
"""

from math import prod
from threading import get_ident

from . import compiled


class Count:
    """Convolutions and matrix products, a multiply-add counting as two operations.

    Nothing is told where work is done out of sight: in compiled or scripted code, or in
    other threads.
    """

    def __init__(self, torch):
        self.torch = torch
        self.operations = self.activations = self.layers = 0
        self.seen_all = True
        self.recomputed = False  # activations are computed again in the backward pass, and not kept
        self._outer = self._mode = None  # the module that computes, and the mode meanwhile
        self._hooks, self._visible = (), set()
        self._thread = None  # that is watched: one that only loads data may have modules, too

    def begin(self):
        """Watches all modules from now on, those that compute in this thread."""
        self.seen_all = self.seen_all and hasattr(self.torch.overrides, "TorchFunctionMode")
        if not self.seen_all or self._hooks:
            return
        module, self._thread = self.torch.nn.modules.module, get_ident()
        before, after = module.register_module_forward_pre_hook, module.register_module_forward_hook
        self._hooks = (before(self._entered), after(self._left))

    def forget(self):
        """What was computed so far belongs to no iteration."""
        self.operations = self.activations = self.layers = 0
        self.recomputed = False

    def end(self):
        """Watches nothing from now on."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = ()
        if self._mode is not None:  # a module raised an exception that the program caught
            self._leave()
            self.seen_all = False

    def again(self):
        """Whether activations were computed again in the backward pass; None where that was out of sight."""
        return self.recomputed if self.seen_all and self.operations else None

    def give_up(self):
        """Watches nothing from now on, and tells nothing: some of the work is out of sight."""
        self.seen_all = False
        self.end()

    def facts(self, units):
        """The fields of a model event, if an iteration of so many units was seen."""
        if not self.seen_all or not units or not self.operations:
            return {}
        kept = None if self.recomputed else self.activations / units
        return {"flops_per_unit": self.operations / units, "activations_per_unit": kept, "layers": self.layers}

    def _entered(self, module, inputs):
        try:
            if self._outer is not None or get_ident() != self._thread or not self.torch.is_grad_enabled():
                return
            if compiled.is_traced(self.torch, inputs):
                return
            if self._is_backward():
                self.recomputed = True
                return
            if id(module) not in self._visible:
                if _is_hidden(module):
                    return self.give_up()
                self._visible.add(id(module))
            self._outer, self._mode = module, _mode(self)
            self._mode.__enter__()
        except Exception:
            self.give_up()

    def _is_backward(self):
        task = getattr(self.torch._C, "_current_graph_task_id", None)
        return task is not None and task() != -1

    def _left(self, module, _inputs, _output):
        try:
            if module is self._outer:
                self._leave()
        except Exception:
            self.give_up()

    def _leave(self):
        mode, self._outer, self._mode = self._mode, None, None
        mode.__exit__(None, None, None)

    def add(self, function, args, kwargs, result):
        """A function returned this result."""
        kind = KINDS.get(getattr(function, "__name__", ""))
        if kind is None:
            return
        try:
            out = result if hasattr(result, "numel") else result[0]
            self.operations += kind(args, kwargs, out)
            self.activations += out.numel()
            self.layers += 1
        except Exception:  # called in a way that is not known here
            self.seen_all = False


def _is_hidden(module):
    """Whether parts of the module compute where no mode sees them."""
    names = {c.__name__ for m in module.modules() for c in type(m).__mro__}
    compiled = any(getattr(m, "_compiled_call_impl", None) is not None for m in module.modules())
    return compiled or not names.isdisjoint(("OptimizedModule", "ScriptModule", "DataParallel"))


def _mode(count):
    base = count.torch.overrides.TorchFunctionMode

    class Mode(base):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            count.add(function, args, kwargs or {}, result)
            return result

    return Mode()


def _convolution(args, kwargs, out):
    weight = args[1] if len(args) > 1 else kwargs["weight"]
    return 2 * out.numel() * prod(weight.shape[1:])


def _transposed(args, kwargs, _out):
    x = args[0] if args else kwargs["input"]
    weight = args[1] if len(args) > 1 else kwargs["weight"]
    return 2 * x.numel() * prod(weight.shape[1:])


def _linear(args, kwargs, out):
    weight = args[1] if len(args) > 1 else kwargs["weight"]
    return 2 * out.numel() * weight.shape[-1]


def _product(args, kwargs, out):
    x = args[0] if args else kwargs["input"]
    return 2 * out.numel() * x.shape[-1]


def _reversed_product(args, kwargs, out):
    return 2 * out.numel() * args[1].shape[-1]


def _added_product(args, kwargs, out):
    x = args[1] if len(args) > 1 else kwargs["mat1"]
    return 2 * out.numel() * x.shape[-1]


def _einsum(args, kwargs, out):
    equation, operands = args[0], args[1:]
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    ins, _, of = equation.replace(" ", "").replace("...", "").partition("->")
    sizes = {}
    for names, x in zip(ins.split(","), operands):
        for name, size in zip(reversed(names), reversed(x.shape)):
            sizes[name] = size
    summed = prod(n for name, n in sizes.items() if name not in of)
    return 2 * out.numel() * summed if len(operands) > 1 else 0


def _attention(args, kwargs, out):
    """Queries times keys, and those times values."""
    key = args[1] if len(args) > 1 else kwargs["key"]
    query = args[0] if args else kwargs["query"]
    return 2 * prod(query.shape[:-1]) * key.shape[-2] * (query.shape[-1] + out.shape[-1])


def _multi_head(args, kwargs, out):
    """F.multi_head_attention_forward, for (length, batch, width): four projections and the attention."""
    query, key = args[0], args[1]
    width, length, keys = query.shape[-1], query.shape[0], key.shape[0]
    batch = query.shape[1] if query.dim() == 3 else 1
    return 2 * batch * (2 * (length + keys) * width * width + 2 * length * keys * width)


def _recurrent(args, kwargs, _out):
    """Every weight of every layer multiplies with every step of every sequence; padding is none."""
    x = args[0]
    weights = next(a for a in reversed(args) if isinstance(a, (list, tuple)) and len(a) and a[0].dim() > 1)
    return 2 * (x.numel() // x.shape[-1]) * sum(w.numel() for w in weights if w.dim() > 1)


KINDS = {
    "conv1d": _convolution, "conv2d": _convolution, "conv3d": _convolution, "conv_transpose1d": _transposed,
    "conv_transpose2d": _transposed, "conv_transpose3d": _transposed, "linear": _linear, "matmul": _product,
    "mm": _product,
    "bmm": _product, "mv": _product, "__matmul__": _product, "__rmatmul__": _reversed_product, "addmm": _added_product,
    "baddbmm": _added_product, "addbmm": _added_product, "einsum": _einsum, "scaled_dot_product_attention": _attention,
    "multi_head_attention_forward": _multi_head, "lstm": _recurrent, "gru": _recurrent, "rnn_tanh": _recurrent,
    "rnn_relu": _recurrent,
}
