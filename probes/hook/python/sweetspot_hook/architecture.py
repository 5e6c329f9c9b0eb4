"""The figures of a language model, by the names that a config.json of transformers has for them."""

NEEDED = ("vocab_size", "num_hidden_layers", "hidden_size")
KEYS = NEEDED + (
    "model_type", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size", "tie_word_embeddings",
    "attention_bias", "mlp_bias", "max_position_embeddings", "num_local_experts", "num_experts", "num_experts_per_tok",
    "moe_intermediate_size", "shared_expert_intermediate_size", "decoder_sparse_step", "is_encoder_decoder",
)

# The matrices of a layer of Llama, by the names that programs have for them.
MATRICES = {
    "q_proj": "q", "wq": "q", "query": "q", "to_q": "q", "k_proj": "k", "wk": "k", "key": "k", "to_k": "k",
    "v_proj": "v", "wv": "v", "value": "v", "to_v": "v", "o_proj": "o", "wo": "o", "out_proj": "o", "to_out": "o",
    "gate_proj": "gate", "w1": "gate", "gate": "gate",
    "up_proj": "up", "w3": "up", "up": "up", "down_proj": "down", "w2": "down", "down": "down",
}
HEADS = ("num_heads", "n_heads", "num_attention_heads", "n_head", "heads")
SIZES = ("head_dim", "head_size", "d_head")


def configuration(network, embedding):
    """What its own configuration says, else its modules; None where neither says enough."""
    for m in network.modules():
        config = m.__dict__.get("config")
        if config is not None and all(_number(config, key) for key in NEEDED):
            return {key: v for key in KEYS if (v := _plain(config, key)) is not None}
    return _of_modules(network, embedding)


def has_head(network, embedding):
    """Whether it puts out a number for each word."""
    rows = embedding.num_embeddings
    if any(getattr(m, "out_features", None) == rows for m in network.modules()):
        return True
    return any(
        p is embedding.weight for m in network.modules() if m is not embedding
        for p in m.__dict__["_parameters"].values()
    )


def _plain(config, key):
    value = getattr(config, key, None)
    return value if isinstance(value, (bool, int, str)) else None


def _number(config, key):
    value = getattr(config, key, None)
    return isinstance(value, int) and value > 0


def _of_modules(network, embedding):
    """The configuration of a network that is built as Llama is, whoever wrote it."""
    stacks = [list(m.children()) for m in network.modules() if type(m).__name__ in ("ModuleList", "Sequential")]
    stacks = [s for s in stacks if s and len({type(layer) for layer in s}) == 1]
    layers = max(stacks, key=len, default=())
    matrices, attention = {}, None
    for name, m in layers[0].named_modules() if layers else ():
        name = name.removesuffix(".base_layer").rsplit(".", 1)[-1] if "lora_" not in name else ""
        if name in MATRICES and hasattr(m, "in_features"):
            if matrices.setdefault(MATRICES[name], m) is not m and not _wraps(matrices[MATRICES[name]], m):
                return None  # two of a kind
    if len(matrices) != 7:
        return None
    for m in layers[0].modules():
        if any(child is matrices["q"] for child in m.children()):
            attention = m
    q, k, v, o, gate, up, down = (matrices[name] for name in ("q", "k", "v", "o", "gate", "up", "down"))
    hidden, heads, size = embedding.embedding_dim, _named(attention, HEADS), _named(attention, SIZES)
    heads, size = heads or (size and q.out_features // size), size or (heads and q.out_features // heads)
    norms = [n for n in (_vector(m) for m in layers[0].modules()) if n]
    biases = [_bias(m) for m in (q, k, v, o, gate, up, down)]
    of_heads = [n for n in norms if n == size != hidden]
    whole = (
        heads and size and heads * size == q.out_features == o.in_features and k.out_features == v.out_features
        and k.out_features % size == 0
        and {q.in_features, k.in_features, v.in_features, o.out_features, gate.in_features,
             up.in_features, down.out_features} == {hidden}
        and gate.out_features == up.out_features == down.in_features
        and biases[0] == biases[1] == biases[2] and not any(biases[3:])
        and norms.count(hidden) == 2 and len(of_heads) in (0, 2)
        and len(of_heads) + 2 == len(norms) and not (of_heads and biases[0])
    )
    if not whole:
        return None
    return dict(
        model_type="qwen2" if biases[0] else "qwen3" if of_heads else "llama", vocab_size=embedding.num_embeddings,
        num_hidden_layers=len(layers), hidden_size=hidden,
        num_attention_heads=heads, num_key_value_heads=k.out_features // size,
        head_dim=size, intermediate_size=gate.out_features, tie_word_embeddings=_is_tied(network, embedding),
    )


def _wraps(outer, inner):
    return any(m is inner for m in outer.modules())


def _named(module, names):
    found = (module.__dict__.get(name) for name in names) if module is not None else ()
    return next((v for v in found if isinstance(v, int) and v > 0), None)


def _vector(module):
    """The length of its weight, of a normalisation."""
    weight = module.__dict__["_parameters"].get("weight")
    return weight.numel() if weight is not None and weight.dim() == 1 else None


def _bias(module):
    return getattr(module, "bias", None) is not None


def _is_tied(network, embedding):
    return any(
        m is not embedding and m.__dict__["_parameters"].get("weight") is embedding.weight for m in network.modules()
    )
