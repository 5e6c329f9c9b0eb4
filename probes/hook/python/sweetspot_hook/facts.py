"""What is being trained: the modules, their parameters and precision, and the GPUs in use."""

import weakref

from . import language, lengths, machine, objects

PRECISIONS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}


def parameters_of(optimizer):
    """The tensors that the optimizer changes."""
    groups = getattr(optimizer, "param_groups", None) or ()
    return [p for g in groups for p in g.get("params", ())]


def device_of(optimizer):
    for p in parameters_of(optimizer):
        return p.device
    return None


def framework(torch):
    return "torch " + str(torch.__version__)


class Facts:
    def __init__(self, torch):
        self.torch = torch
        self.params = self.precision = self.epochs = self.steps = self.batch_size = None
        self.were_asked = False  # for so many steps
        self.network = self.input = None
        self.schedule = None  # how the work of a step changes, in words
        self.sizes = None  # how large it is when, see sizes.py
        self.work = {}  # what a unit takes the network, see flops.py
        self.state_bytes = None  # of weights, gradients and the optimizers' state, whatever the batch
        self.autocast = None  # the type in which an autocast region computes
        self.watched = self.kinds = ()  # ids of modules whose mode tells training from validation, and their types
        self.modes = {}  # whether these were in training mode when they last were told to be, by id
        self.changed = {}  # weak: the parameters that the optimizers change, by id
        self.devices = set()  # indices of CUDA devices
        self.roots = frozenset()  # ids of the modules that are in no other, at the first step
        self.tensors = 1  # ranks that share the tensors out, as transformers' loading does it
        self.calls = language.Calls(torch)
        self.language = None  # how a language model is trained, if one is

    def look(self, optimizer, optimizers, world, by_hand, recomputed):
        """Finds the modules that are being trained by so many ranks, after a step; recomputed as in language.py."""
        trained = {id(p) for o in optimizers if o is not None for p in parameters_of(o)}
        own = parameters_of(optimizer)
        trained.update(map(id, own))
        roots = self._roots()
        self.roots = frozenset(map(id, roots))
        holders = [m for m in roots if any(id(p) in trained for p in _parameters(m))]
        if not holders:  # the optimizer may have copies of the parameters
            holders = [m for m in roots if m.training and any(p.requires_grad for p in _parameters(m))]
            own = [p for m in holders for p in _parameters(m)] or own
            trained.update(map(id, own))
        roots = holders
        self.params, self.network = self._count(roots, trained), network_of(roots)
        self.tensors = max((m.__dict__.get("_tp_size") or 1 for r in roots for m in r.modules()), default=1)
        groups = [parameters_of(o) for o in optimizers if o is not None] + [own]
        self._watch(groups, roots)
        known = [o for o in optimizers if o is not None]
        if world == 1 and not by_hand and self.params is not None:
            self.state_bytes = self._state(roots, known)
        try:
            self.language = language.look(self.torch, roots, known, trained, self.calls.shapes, world, recomputed)
        except Exception:  # a module of the program's own making
            self.language = None
        self.calls.begin()
        self.precision = self._precision(own, roots)
        self.devices = self._devices(roots, own)

    def follow(self, optimizers):
        """Watches the modules that these optimizers train from now on, as those of another fold's network."""
        self._watch([parameters_of(o) for o in optimizers], self._roots())

    def follows(self, optimizer):
        """Whether it changes no other parameters than those of which the modules are watched."""
        return all(self.changed.get(id(p), _nothing)() is p for p in parameters_of(optimizer))

    def _watch(self, groups, roots):
        watched = [m for group in groups for m in _holding(group, roots)]
        self.watched, self.kinds = frozenset(map(id, watched)), frozenset(map(type, watched))
        self.modes = {id(m): m.training for m in watched}
        self.changed = {id(p): weakref.ref(p) for group in groups for p in group}

    def _roots(self):
        """The modules that are in no other."""
        modules = self._modules()
        inner = {id(child) for m in modules for child in _children(m)}
        return [m for m in modules if id(m) not in inner and not _is_graph(m)]

    def _modules(self):
        return [m for m in objects.of(self.torch.nn.Module) if "_modules" in m.__dict__]

    @staticmethod
    def _count(roots, trained):
        if not roots or any("FullyShardedDataParallel" in type(m).__name__ for r in roots for m in r.modules()):
            return None  # a rank has its share of them only
        counted = {id(p): language.elements(p) for m in roots for p in _parameters(m)}
        for copy in (c for m in roots for c in _copies(m, trained)):
            for p in _parameters(copy):
                counted.pop(id(p), None)
        return sum(counted.values())

    def _state(self, roots, optimizers):
        held = {}
        parameters = [p for r in roots for p in _parameters(r)]
        devices = {p.device for p in parameters}  # what is kept elsewhere takes no memory there
        kept = [s for o in optimizers for s in (getattr(o, "state", None) or {}).values() if isinstance(s, dict)]
        for t in parameters + [p.grad for p in parameters] + [v for s in kept for v in s.values()]:
            if isinstance(t, self.torch.Tensor) and t.device in devices and not t.is_sparse:
                held[id(t)] = t.numel() * t.element_size()
        return sum(held.values())

    def _precision(self, own, roots):
        if language.computes_in_8_bits(roots):
            return "fp8"
        kind = self.autocast or language.policy_of(roots)
        if kind is None:
            kinds = [p.dtype for p in own if p.is_floating_point()]
            if not kinds:
                return None
            kind = max(set(kinds), key=kinds.count)
        name = PRECISIONS.get(str(kind).replace("torch.", ""))
        return "tf32" if name == "fp32" and self._tf32(own, roots) else name

    def _tf32(self, own, roots):
        """Whether products of 32-bit numbers are computed with fewer bits here.

        Matrices and convolutions have a switch each; of a network with convolutions
        theirs counts, for most of its products are in these.
        """
        if not own or own[0].device.type != "cuda":
            return False
        torch = self.torch
        if torch.version.hip or torch.cuda.get_device_capability(own[0].device)[0] < 8:
            return False
        backends, convolves = torch.backends, any(_convolves(torch, m) for m in roots)
        # From PyTorch 2.9, which keeps it in step with the older settings.
        if hasattr(getattr(backends.cudnn, "conv", None), "fp32_precision"):
            return (backends.cudnn.conv if convolves else backends.cuda.matmul).fp32_precision == "tf32"
        return bool(backends.cudnn.allow_tf32) if convolves else torch.get_float32_matmul_precision() != "highest"

    def _devices(self, roots, own):
        tensors = [p for m in roots for p in _parameters(m)] + list(own)
        indices = {p.device.index or 0 for p in tensors if p.device.type == "cuda"}
        if indices:
            for m in roots:
                for part in m.modules():
                    if type(part).__name__ == "DataParallel":
                        indices.update(i for i in part.device_ids if isinstance(i, int))
        return indices

    def hello(self):
        torch = self.torch
        fields = machine.hello()
        fields["framework"], fields["node"] = framework(torch), machine.node()
        fields["gpus"] = machine.gpus(torch, self.devices)
        if self.devices:
            fields["cuda"], fields["driver"] = torch.version.cuda, machine.driver()
        return fields

    def model(self, per_epoch):
        epochs, steps = lengths.shorter(self.epochs, self.steps or None, per_epoch, self.were_asked)
        if epochs is None and steps is None:
            steps = self.steps  # 0 takes back what was said
        return dict(
            self.work, params=self.params, batch_size=self.batch_size, precision=self.precision,
            epochs=epochs, steps=steps,
            network=self.network, input=self.input, state_bytes=self.state_bytes, schedule=self.schedule,
            sizes=self.sizes,
        )

    def memory(self):
        """(peak, total) bytes of every device in use."""
        cuda = self.torch.cuda
        return [
            (cuda.max_memory_allocated(i), cuda.get_device_properties(i).total_memory) for i in sorted(self.devices)
        ]


# Wrappers that leave the network as it is, with the name they have for it.
WRAPPERS = {
    "DataParallel": "module", "DistributedDataParallel": "module", "DeepSpeedEngine": "module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "OptimizedModule": "_orig_mod", "_FabricModule": "_forward_module",
}


def network_of(roots):
    """The classes of these modules without their wrappers, the largest first, joined by +; None without any."""
    names = {}
    for m in roots:
        size = len(_parameters(m))
        while type(m).__name__ in WRAPPERS:
            inner = m.__dict__["_modules"].get(WRAPPERS[type(m).__name__])
            if inner is None:
                break
            m = inner
        name = _class_of(m).__name__
        names[name] = max(size, names.get(name, 0))
    return "+".join(sorted(names, key=lambda name: (-names[name], name))[:4]) or None


def _convolves(torch, root):
    kind = torch.nn.modules.conv._ConvNd
    return any(isinstance(m, kind) for m in root.modules())


def _class_of(module):
    """Its class, which fully_shard replaces by one of its own, of the same name with FSDP before it."""
    kind = type(module)
    sharded = [c for c in kind.__bases__ if c.__name__ == "FSDPModule"]
    return kind.__bases__[-1] if sharded else kind


def _nothing():
    """What a reference gives that there is not."""


def _is_graph(module):
    """Whether it is what torch.compile has made of a part of the program."""
    return any(c.__name__ == "GraphModule" for c in type(module).__mro__)


def _copies(root, trained):
    """The modules that average another's trained parameters: theirs have about its values, and are not trained."""
    shapes = {}
    for m in root.modules():
        own = _parameters(m)
        if own:
            of_shape = shapes.setdefault((type(m), tuple(p.shape for p in own)), ([], []))
            of_shape[any(id(p) in trained for p in own)].append(m)
    return [m for still, moving in shapes.values() for m in still if any(_resembles(m, other) for other in moving)]


def _resembles(module, other):
    """Whether the values of their largest parameters go together."""
    def values(m):
        some = max(_parameters(m), key=lambda p: p.numel()).detach().reshape(-1)[:256].double()
        return some - some.mean()

    try:
        a, b = values(module), values(other)
        return bool(a @ b > 0.5 * a.norm() * b.norm() > 0)
    except Exception:  # parameters that are not there yet, or elsewhere
        return False


def _children(module):
    return [c for c in module.__dict__["_modules"].values() if c is not None]


def _parameters(module):
    try:
        return list(module.parameters())
    except Exception:  # a module of the program's own making
        return []


def _holding(group, roots):
    """The smallest module that has all of these parameters, else the roots that have some.

    Whatever outer module changes mode, it takes that one along.
    """
    wanted = set(map(id, group))
    holders = [m for r in roots for m in r.modules() if wanted <= set(map(id, _parameters(m)))]
    if holders:
        # Among equals the innermost: a wrapper has one module more than what it wraps.
        return [min(holders, key=lambda m: (len(_parameters(m)), sum(1 for _ in m.modules())))]
    return [r for r in roots if any(id(p) in wanted for p in _parameters(r))]
