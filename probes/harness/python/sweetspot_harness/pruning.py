"""Removes whole filters from convolutions, so that the dense network shrinks.

The filters with the smallest L1 norm are removed from every convolution (Li et al.,
"Pruning Filters for Efficient ConvNets", ICLR 2017), and with each filter what
was made for its channel further on: a normalisation's scale, a depthwise
filter, the inputs of the next convolution or linear layer. Norms are those of
the network as given; no layer's choice depends on another's.

A convolution is not pruned if its channels cannot be followed: into an addition
or concatenation, for example, whose other side would have to lose the same
channels, or if tracing fails.
"""

import collections
import math
import operator

import torch
from torch import fx, nn
from torch.nn import functional as F

from .loading import Problem, describe

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_NORMS = (
    nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm,
    nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d,
)
# Modules that work on each number separately.
_ELEMENTWISE = (
    nn.Identity, nn.Dropout, nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.ELU, nn.CELU, nn.SELU, nn.GELU, nn.SiLU, nn.Mish,
    nn.Hardswish, nn.Hardtanh, nn.Hardsigmoid, nn.Sigmoid, nn.Tanh, nn.Softplus, nn.LogSigmoid, nn.AlphaDropout,
)
# Modules that work on each channel separately.
_CHANNELWISE = (
    nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d, nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d, nn.LPPool1d, nn.LPPool2d,
    nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d,
    nn.AdaptiveMaxPool1d, nn.AdaptiveMaxPool2d, nn.AdaptiveMaxPool3d,
    nn.Dropout1d if hasattr(nn, "Dropout1d") else nn.Dropout2d, nn.Dropout2d, nn.Dropout3d,
    nn.Upsample, nn.UpsamplingNearest2d, nn.UpsamplingBilinear2d,
    nn.ZeroPad2d, nn.ReflectionPad1d, nn.ReflectionPad2d, nn.ReplicationPad1d, nn.ReplicationPad2d, nn.ReplicationPad3d,
    nn.ConstantPad1d, nn.ConstantPad2d, nn.ConstantPad3d,
)
_ELEMENTWISE_FUNCTIONS = (
    torch.relu, torch.relu_, torch.sigmoid, torch.tanh, F.relu, F.relu6, F.leaky_relu, F.elu, F.celu, F.selu, F.gelu,
    F.silu, F.mish, F.hardswish, F.hardtanh, F.hardsigmoid, F.sigmoid, F.tanh, F.softplus, F.dropout,
)
_CHANNELWISE_FUNCTIONS = (
    F.max_pool1d, F.max_pool2d, F.max_pool3d, F.avg_pool1d, F.avg_pool2d, F.avg_pool3d, F.adaptive_avg_pool1d,
    F.adaptive_avg_pool2d, F.adaptive_avg_pool3d, F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d,
    F.dropout2d, F.dropout3d, F.interpolate, torch.max_pool2d,
)
_ELEMENTWISE_METHODS = ("relu", "relu_", "sigmoid", "sigmoid_", "tanh", "tanh_", "contiguous", "float", "clone")


class Whole(Exception):
    """Why a convolution keeps all of its filters; None where it is the last layer."""

    def __init__(self, why):
        super().__init__(why)
        self.why = why


Step = collections.namedtuple("Step", "module kind factor")  # factor: features of one channel
Chain = collections.namedtuple("Chain", "name conv steps")
Part = collections.namedtuple("Part", "prefix graph modules")


def degree(text):
    """What --prune says: one fraction for all convolutions, or {layer: fraction}."""
    if "=" not in text:
        return float(text)
    return {layer: float(fraction) for layer, _, fraction in (part.rpartition("=") for part in text.split(","))}


def prune(model, fraction):
    """Prunes in place, the fraction of the filters of each convolution rounded down.

    fraction is one for all of them, or {layer: fraction} of the only ones to
    prune; these must be able to.

    Returns {layer: fraction removed} and {layer: why it was not pruned}.
    """
    chains, whole = _chains(model)
    if isinstance(fraction, dict):
        chains = _named(fraction, chains, whole)
        whole = {}
        keeps = [(chain, _strongest(chain.conv, fraction[chain.name])) for chain in chains]
    else:
        keeps = [(chain, _strongest(chain.conv, fraction)) for chain in chains]
    removed = {}
    for chain, keep in keeps:
        before = chain.conv.out_channels
        if len(keep) == before:
            whole[chain.name] = "%d filters are too few to lose %g %%" % (before, 100 * fraction)
            continue
        _narrow(chain.conv, 0, keep)
        for step in chain.steps:
            _shrink(step, keep)
        removed[chain.name] = 1 - len(keep) / before
    if not removed:
        why = "; ".join(sorted(set(whole.values()))) or "there is none whose filters another layer takes in"
        raise Problem("no convolution of this model can be pruned: %s" % why)
    return removed, whole


def _named(fractions, chains, whole):
    """The chains of the layers named, of which each can lose what it is asked to."""
    found = {chain.name: chain for chain in chains}
    for name, fraction in fractions.items():
        if name in whole:
            raise Problem("%s cannot be pruned: %s; %s" % (name, whole[name], _there_are(found)))
        if name not in found:
            raise Problem("there is no layer %s that can be pruned; %s" % (name, _there_are(found)))
        filters = found[name].conv.out_channels
        if filters * fraction < 1 - 1e-9:
            raise Problem(
                "%s has %d filters, too few to lose %g %% of them; remove at least %.3g %%"
                % (name, filters, 100 * fraction, math.ceil(1000 / filters) / 10)
            )
    return [found[name] for name in fractions]


_MOST_NAMES = 40


def _there_are(chains):
    names = list(chains)
    if not names:
        return "the network has no layer that can"
    more = " and %d more" % (len(names) - _MOST_NAMES) if len(names) > _MOST_NAMES else ""
    return "there are %s%s" % (", ".join(names[:_MOST_NAMES]), more)


def words(whole):
    """One sentence about the layers that were not pruned, or None."""
    if not whole:
        return None
    by_why = {}
    for name, why in whole.items():
        by_why.setdefault(why, []).append(name)
    return "not pruned: " + "; ".join("%s (%s)" % (", ".join(names), why) for why, names in by_why.items())


def _strongest(conv, fraction):
    """Indices, in order, of the filters that stay."""
    n = conv.out_channels
    gone = math.floor(fraction * n + 1e-9)
    norms = conv.weight.detach().abs().flatten(1).sum(1)
    return norms.argsort(descending=True, stable=True)[: max(1, n - gone)].sort().values


def _chains(model):
    """The convolutions that can lose filters, and {layer: why} of the others."""
    parts, opaque = _parts(model)
    uses = _uses(model, parts)
    chains, whole, seen = [], {}, set()
    for part in parts:
        for node in part.graph.nodes:
            conv = part.modules.get(node.target) if node.op == "call_module" else None
            if not isinstance(conv, CONVOLUTIONS):
                continue
            name = part.prefix + node.target
            seen.add(conv)
            try:
                if _is_depthwise(conv):
                    continue  # it follows its input
                _plain(conv, uses)
                if conv.groups != 1:
                    raise Whole("its filters are in groups")
                chains.append(Chain(name, conv, _follow(part, node, conv.out_channels, uses)))
            except Whole as err:
                if err.why is not None:
                    whole[name] = err.why
                elif part.prefix:
                    whole[name] = "its output leaves the part that can be traced"
    for name, module in model.named_modules():
        if isinstance(module, CONVOLUTIONS) and module not in seen:
            whole[name] = _untraced(name, opaque)
    return chains, whole


def _untraced(name, opaque):
    for prefix, why in sorted(opaque.items(), key=lambda item: -len(item[0])):
        if not prefix or name.startswith(prefix + "."):
            return "%s cannot be traced: %s" % (prefix or "the network", why)
    return "the forward pass does not call it as a layer"


# --- the graph ---


class _Tracer(fx.Tracer):
    def __init__(self, opaque):
        super().__init__()
        self._opaque = opaque

    def is_leaf_module(self, module, name):
        return module in self._opaque or super().is_leaf_module(module, name)


def _parts(model):
    """The largest parts that can be traced, and {name: why} of the modules that cannot."""
    opaque = {}

    def visit(module):
        """Traces from the inside out: a module that fails becomes one opaque layer of its parent."""
        for child in module.children():
            visit(child)
        if next(module.children(), None) is None and module is not model:
            return
        try:
            _Tracer(opaque).trace(module)
        except Exception as err:
            opaque[module] = describe(err)

    visit(model)
    names = {module: name for name, module in model.named_modules()}
    roots = [model] if model not in opaque else []
    for module in opaque:
        roots += [
            child for child in module.children() if child not in opaque and next(child.children(), None) is not None
        ]
    parts = []
    for root in roots:
        prefix = names[root] + "." if names[root] else ""
        parts.append(Part(prefix, _Tracer(opaque).trace(root), dict(root.named_modules())))
    return parts, {names[module]: why for module, why in opaque.items()}


def _uses(model, parts):
    """How often each module runs or is found, and each parameter is held."""
    runs = collections.Counter()
    for part in parts:
        for node in part.graph.nodes:
            if node.op == "call_module":
                runs[part.modules[node.target]] += 1
            elif node.op == "get_attr":
                # Its weights are read outside its own forward pass.
                runs[part.modules.get(node.target.rpartition(".")[0])] += 2
    held = collections.Counter(id(p) for m in model.modules() for p in m._parameters.values() if p is not None)
    return runs, held


def _plain(module, uses):
    """Raises if a layer is not plain and cannot be narrowed."""
    runs, held = uses
    if runs[module] > 1:
        raise Whole("%s runs more than once" % type(module).__name__)
    if any(held[id(p)] > 1 for p in module._parameters.values() if p is not None):
        raise Whole("its weights are shared with another layer")
    wrapped = hasattr(module, "parametrizations") or module._forward_pre_hooks or module._forward_hooks
    if wrapped or not type(module).__module__.startswith("torch.nn."):
        raise Whole("%s is not an ordinary layer" % type(module).__name__)


def _is_depthwise(conv):
    return conv.groups > 1 and conv.groups == conv.in_channels == conv.out_channels


def _follow(part, start, channels, uses):
    """The layers that change with the channels of a convolution.

    Raises Whole if the channels cannot be followed.
    """
    steps, todo, seen = [], [(start, False)], set()
    while todo:
        node, flat = todo.pop()
        for user in node.users:
            if user in seen:
                raise Whole("its output joins itself in %s" % _called(user))
            kind, flat_after = _passes(part, user, node, flat, channels, uses, steps)
            if kind == "on":
                seen.add(user)
                todo.append((user, flat_after))
    return steps


def _passes(part, user, node, flat, channels, uses, steps):
    """("on", flat) where the channels go on through a node, ("ends", …) where they end in it."""
    if user.op == "output":
        raise Whole(None)
    if sum(a is node for a in _nodes(user)) != 1 or not user.args or user.args[0] is not node:
        raise Whole("its output joins others in %s" % _called(user))
    if user.op == "call_module":
        return _through_layer(part.modules[user.target], user.target, flat, channels, uses, steps)
    if _reads_size(user):
        return "ends", flat
    if len(_nodes(user)) > 1 and not _flattens(user):
        raise Whole("its output joins others in %s" % _called(user))
    elementwise = user.target in (_ELEMENTWISE_FUNCTIONS if user.op == "call_function" else _ELEMENTWISE_METHODS)
    if elementwise or (not flat and user.op == "call_function" and user.target in _CHANNELWISE_FUNCTIONS):
        return "on", flat
    if _flattens(user) or (not flat and _averages(user)):
        return "on", True
    raise Whole("its output goes through %s" % _called(user))


def _through_layer(layer, name, flat, channels, uses, steps):
    if isinstance(layer, _ELEMENTWISE) or (not flat and isinstance(layer, _CHANNELWISE)):
        return "on", flat
    if isinstance(layer, nn.Flatten) and layer.start_dim == 1 and layer.end_dim == -1:
        return "on", True
    if isinstance(layer, nn.PReLU) and layer.num_parameters == 1:
        return "on", flat
    if isinstance(layer, _NORMS + (nn.PReLU,)):
        _plain(layer, uses)
        features = layer.num_parameters if isinstance(layer, nn.PReLU) else layer.num_features
        steps.append(Step(layer, "follows", _factor(features, channels, flat, name)))
        return "on", flat
    if isinstance(layer, CONVOLUTIONS) and not flat:
        _plain(layer, uses)
        if _is_depthwise(layer):
            steps.append(Step(layer, "depthwise", _factor(layer.in_channels, channels, False, name)))
            return "on", flat
        if layer.groups == 1:
            steps.append(Step(layer, "takes", _factor(layer.in_channels, channels, False, name)))
            return "ends", flat
    if isinstance(layer, nn.Linear) and flat:
        _plain(layer, uses)
        steps.append(Step(layer, "takes", _factor(layer.in_features, channels, True, name)))
        return "ends", flat
    raise Whole("its output goes into %s, a %s" % (name, type(layer).__name__))


def _factor(features, channels, flat, name):
    """How many features of a layer belong to one channel."""
    if features % channels or (not flat and features != channels):
        raise Whole("%s takes %d features, which %d channels do not make" % (name, features, channels))
    return features // channels


def _nodes(user):
    found = []
    fx.node.map_arg((user.args, user.kwargs), found.append)
    return found


def _called(user):
    target = user.target if isinstance(user.target, str) else getattr(user.target, "__name__", str(user.target))
    sizes = [str(a) for a in user.args[1:] if isinstance(a, int)]
    return "%s(%s)" % (target, ", ".join(sizes)) if sizes else target


def _reads_size(user):
    """Whether a node reads a size that pruning leaves as it is."""
    if user.op == "call_method" and user.target == "size":
        if len(user.args) == 2:
            return _is_safe(user.args[1])
        return len(user.args) == 1 and all(_picks(u) for u in user.users)
    if user.op == "call_method" and user.target == "dim":
        return True
    return (
        user.op == "call_function" and user.target is getattr and user.args[1] == "shape"
        and all(map(_picks, user.users))
    )


def _picks(user):
    return user.op == "call_function" and user.target is operator.getitem and _is_safe(user.args[1])


def _is_safe(dim):
    """Whether a dimension is that of the samples or of an image, counted from the front."""
    return isinstance(dim, int) and (dim == 0 or dim >= 2)


def _flattens(user):
    """Whether a node makes one row of features from each sample."""
    if user.target in (torch.flatten, "flatten"):
        dims = dict(zip(("start_dim", "end_dim"), user.args[1:]))
        dims.update(user.kwargs)
        return dims.get("start_dim") == 1 and dims.get("end_dim", -1) == -1
    if user.op == "call_method" and user.target in ("view", "reshape"):
        rest = user.args[1:]
        return len(rest) == 2 and rest[1] == -1 and _is_batch(rest[0])
    return False


def _is_batch(size):
    """Whether a value is the number of samples."""
    if not isinstance(size, fx.Node):
        return False
    if size.target == "size" and size.op == "call_method":
        return size.args[1:] == (0,)
    return size.target is operator.getitem and size.args[1] == 0


def _averages(user):
    """Whether a node is a mean over both dimensions of an image."""
    if user.target not in (torch.mean, "mean"):
        return False
    dims = user.kwargs.get("dim", user.args[1] if len(user.args) > 1 else None)
    keep = user.kwargs.get("keepdim", user.args[2] if len(user.args) > 2 else False)
    return isinstance(dims, (list, tuple)) and sorted(dims) in ([2, 3], [-2, -1]) and not keep


# --- the weights ---


def _narrow(module, dim, keep):
    """Keeps the given rows (dim 0) or inputs (dim 1) of a layer's weights."""
    for name, p in list(module._parameters.items()):
        if p is None or (dim == 1 and name == "bias"):
            continue
        narrowed = nn.Parameter(p.detach().index_select(dim, keep.to(p.device)).clone(), requires_grad=p.requires_grad)
        setattr(module, name, narrowed)
    for name, b in list(module._buffers.items()):
        if b is not None and b.dim() > 0:
            module._buffers[name] = b.index_select(dim, keep.to(b.device)).clone()
    if isinstance(module, CONVOLUTIONS):
        setattr(module, ("out_channels", "in_channels")[dim], len(keep))


def _shrink(step, keep):
    module, kind, factor = step
    features = (keep.unsqueeze(1) * factor + torch.arange(factor, device=keep.device)).flatten()
    if kind == "takes":
        _narrow(module, 1, features)
        if isinstance(module, nn.Linear):
            module.in_features = len(features)
        return
    _narrow(module, 0, features)
    if kind == "depthwise":
        module.in_channels = module.groups = len(keep)
    elif isinstance(module, nn.PReLU):
        module.num_parameters = len(features)
    else:
        module.num_features = len(features)
