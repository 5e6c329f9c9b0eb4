"""How a language model is trained: which of its weights learn, how they are kept and shared out, and its tokens.

All of it is read from the program's objects once its first step has ended, and is plain values from then on.
"""

import sys
from collections import Counter

from . import architecture, epochs, loops

TYPES = {"float64": "fp64", "float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}
ZERO = {
    "FULL_SHARD": "zero3", "HYBRID_SHARD": "zero3", "SHARD_GRAD_OP": "zero2", "_HYBRID_SHARD_ZERO2": "zero2",
    "NO_SHARD": "none",
}


class Calls:
    """The numbers of words that the embeddings took in the first step."""

    def __init__(self, torch):
        self.torch, self.shapes = torch, {}

    def begin(self):
        """Whatever was computed before belongs to no step."""
        self.shapes = {}

    def add(self, module, inputs):
        """A module is about to compute."""
        if issubclass(type(module), self.torch.nn.Embedding) and inputs:
            shape = tuple(getattr(inputs[0], "shape", ()))
            if len(shape) == 2:
                self.shapes.setdefault(id(module), []).append(shape)


class Training:
    """What is known of the training of a language model."""

    def __init__(self, facts, shapes):
        # The fields of the event, and what each micro-batch had in the first step: nothing where that
        # was out of sight, None where words are not those of the loader.
        self.facts, self.shapes = facts, shapes

    def fields(self, data, replicas):
        """Those of the event now: the tokens are those of all batches so far, where a loader gave them."""
        f, seen = dict(self.facts), data.words
        if self.shapes:
            rows, words = sum(b for b, _ in self.shapes), sum(b * n for b, n in self.shapes)
            f.update(
                micro_batch=max(b for b, _ in self.shapes), micro_batches=len(self.shapes), sequence=words / rows,
                longest_sequence=max(n for _, n in self.shapes), tokens_per_step=words * replicas,
            )
        elif self.shapes is not None and seen.first and data.batches:
            f.update(micro_batch=-(-seen.units // seen.batches), micro_batches=data.batches)
        # A program may set the last word of each row aside, to be predicted.
        cut = self.shapes[0][1] - seen.first if self.shapes and seen.first else 0
        if self.shapes is None or not seen.first or not data.batches or cut not in (0, -1):
            return f
        words = seen.words + cut * seen.rows
        if seen.rows < seen.units and "micro_batch" in f:  # sequences are joined to one row, without padding
            f["micro_batch"] = -(-seen.units // seen.batches)
        f.update(
            sequence=words / seen.units, longest_sequence=seen.longest + cut if seen.rows == seen.units else None,
            tokens_per_step=words / seen.batches * data.batches * replicas,
        )
        return f


def look(torch, roots, optimizers, trained, shapes, world, recomputed):
    """The training, or None where no language model is trained.

    Recomputed is whether activations were computed again, None if that is unknown.
    """
    network = max(roots, key=lambda m: sum(1 for _ in m.modules()), default=None)
    embedding = _embedding(torch, network, shapes) if network is not None else None
    if embedding is None:
        return None
    config = architecture.configuration(network, embedding)
    if config is None and not architecture.has_head(network, embedding):
        return None
    parallel, sharding = _shared(network, optimizers, world)
    facts = dict(_weights(network, trained), **_optimizer(torch, optimizers))
    facts["learning_in"] = _copied_in(network, optimizers) or facts["learning_in"]
    facts.update(
        config=config, checkpointing=_checkpointing(network) if recomputed is None else recomputed,
        parallel=parallel, sharding=sharding,
    )
    facts["max_sequence"] = (config or {}).get("max_position_embeddings")
    both = bool((config or {}).get("is_encoder_decoder"))
    return Training(facts, None if both else shapes.get(id(embedding), []))


def by_trainer(training, frames):
    """What the arguments of a Trainer in these frames of the program say besides."""
    for frame in frames:
        names = frame.f_code.co_varnames
        if not names or names[0] != "self":
            continue
        arguments = loops.read(frame, lambda names: getattr(names.get("self"), "args", None))
        if any(c.__name__ == "TrainingArguments" for c in type(arguments).__mro__):
            packing = getattr(arguments, "packing", None)
            if isinstance(packing, bool):
                training.facts["packing"] = packing
            most = epochs.whole(getattr(arguments, "max_length", getattr(arguments, "max_seq_length", None)), 10**9)
            training.facts["max_sequence"] = most or training.facts["max_sequence"]
            return


def _embedding(torch, network, shapes):
    """The embedding of words: of those that were given most, the one with most rows. Positions are given once."""
    found = [m for m in network.modules() if issubclass(type(m), torch.nn.Embedding)]
    given = {id(m): sum(b * n for b, n in shapes.get(id(m), ())) for m in found}
    return max(found, key=lambda m: (given[id(m)], m.num_embeddings), default=None)


def _weights(network, trained):
    """Which weights learn, and in what they and the others are kept."""
    learn, rest, lora = Counter(), Counter(), 0
    for name, p in network.named_parameters():
        of = learn if id(p) in trained and p.requires_grad else rest
        n = elements(p)
        of[_kept_in(p)] += n
        lora += n if of is learn and "lora_" in name else 0
    targets, ranks = _lora(network)
    most = lambda c: c.most_common(1)[0][0] if c else None
    size, frozen = sum(learn.values()), most(rest) or most(learn)
    if targets and lora == size:
        method = "qlora" if frozen in ("nf4", "fp4") else "lora"
    else:
        method = "partial" if rest else "full"
    # Otherwise a rank has only its share.
    known = not any("FullyShardedDataParallel" in type(m).__name__ for m in network.modules())
    return dict(
        method=method, lora_rank=most(ranks), lora_targets=sorted(targets) or None,
        trainable_params=size if known else None,
        weights_in=frozen, learning_in=most(learn),
    )


def _copied_in(network, optimizers):
    """The type of the optimizers' copies of the parameters that they change; None where they have no copies."""
    own = set(map(id, network.parameters()))
    changed = [p for o in optimizers for p in getattr(unwrapped(o), "state", None) or () if hasattr(p, "dtype")]
    if not changed or any(id(p) in own for p in changed):
        return None
    return Counter(map(_kept_in, changed)).most_common(1)[0][0]


def _lora(network):
    """The names of the modules with LoRA beside them, and the ranks with their numbers."""
    targets, ranks = set(), Counter()
    for name, m in network.named_modules():
        down = m.__dict__.get("_modules", {}).get("lora_A") or m.__dict__.get("_parameters", {}).get("lora_A")
        if down is None:
            continue
        targets.add(name.rsplit(".", 1)[-1])
        rank = getattr(m, "r", None)
        for r in rank.values() if isinstance(rank, dict) else (rank,):
            if isinstance(r, int) and r > 0:
                ranks[r] += 1
    return targets, ranks


def elements(p):
    """Of the whole tensor, where DeepSpeed has cut it up, or where two of them are in a byte."""
    n = getattr(p, "ds_numel", None) or p.numel()
    return 2 * n if type(p).__name__ == "Params4bit" else n


def _kept_in(p):
    kind = type(p).__name__
    if kind == "Params4bit":
        return getattr(p, "quant_type", None) or "nf4"
    if kind == "Int8Params":
        return "int8"
    name = str(p.dtype).replace("torch.", "")
    return "fp8" if name.startswith("float8") else TYPES.get(name)


def _optimizer(torch, optimizers):
    """The class of the optimizer with the most state, and the bytes of all state."""
    size, by = 0, {}
    for o in optimizers:
        o = unwrapped(o)
        own = 0
        for state in (getattr(o, "state", None) or {}).values():
            for v in state.values() if isinstance(state, dict) else ():
                v = v.to_local() if hasattr(v, "to_local") else v
                own += v.numel() * v.element_size() if isinstance(v, torch.Tensor) else 0
        by[o], size = own, size + own
    if not by:
        return {}
    return dict(optimizer=_class_of(max(by, key=by.get)), optimizer_bytes=size)


def unwrapped(optimizer):
    """The one of PyTorch's kind inside."""
    for _ in range(4):  # accelerate, Lightning and DeepSpeed have theirs around it
        inner = optimizer.__dict__.get("optimizer") or optimizer.__dict__.get("_optimizer")
        if not hasattr(inner, "param_groups"):
            break
        optimizer = inner
    return optimizer


def _class_of(optimizer):
    """Its class, with what the arguments of one of bitsandbytes change."""
    name = type(optimizer).__name__
    if type(optimizer).__module__.startswith("bitsandbytes") and "8bit" not in name:
        if getattr(getattr(optimizer, "args", None), "optim_bits", 32) == 8:
            name += "8bit"
    return name


def _checkpointing(network):
    """Whether transformers was told to, where nothing else shows."""
    told = [m.__dict__.get("gradient_checkpointing") for m in network.modules()]
    return True if True in told else False if False in told else None


def computes_in_8_bits(roots):
    """Whether matrices are multiplied in 8-bit floats, by torchao, or by what accelerate was told to use."""
    if any(type(m).__name__ == "Float8Linear" for root in roots for m in root.modules()):
        return True
    state = getattr(sys.modules.get("accelerate.state"), "AcceleratorState", None)
    return state is not None and state._shared_state.get("_mixed_precision") == "fp8"


def policy_of(roots):
    """The type in which FSDP computes, where it is told one."""
    for m in (m for root in roots for m in root.modules()):
        policy = m.__dict__.get("mixed_precision")
        if policy is None and any(c.__name__ == "FSDPModule" for c in type(m).__bases__):
            policy = getattr(m._get_fsdp_state(), "_mp_policy", None)
        kind = getattr(policy, "param_dtype", None)
        if kind is not None:
            return kind
    return None


def _shared(network, optimizers, world):
    """How ranks share the work of a step, and what else they share out."""
    if world == 1:
        return "none", "none"
    kinds = {type(m).__name__: m for m in network.modules()}
    engine = kinds.get("DeepSpeedEngine")
    if engine is not None:
        return "deepspeed", {1: "zero1", 2: "zero2", 3: "zero3"}.get(engine.zero_optimization_stage(), "none")
    if "FullyShardedDataParallel" in kinds:
        strategy = getattr(kinds["FullyShardedDataParallel"], "sharding_strategy", None)
        return "fsdp", ZERO.get(getattr(strategy, "name", None))
    if any(c.__name__ == "FSDPModule" for m in network.modules() for c in type(m).__bases__):
        return "fsdp", "zero3"
    if "DistributedDataParallel" in kinds:
        whole = not any(type(unwrapped(o)).__name__ == "ZeroRedundancyOptimizer" for o in optimizers)
        return "ddp", "none" if whole else "zero1"
    return None, None
