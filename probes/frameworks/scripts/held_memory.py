"""Says in JSON what trainings of small, randomly initialised language models hold.

For each way of tuning it prints the numbers of parameters, the bytes of weights, gradients
and optimizer state after a step, and the bytes that one more layer saves for the backward
pass; config.json goes into a folder for each network.
"""

import json
import sys

import torch
import transformers
from peft import LoraConfig, get_peft_model

FOLDER = sys.argv[1]
SEQUENCE, BATCH = 32, 2

COMMON = {
    "hidden_size": 64,
    "intermediate_size": 176,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 512,
    "max_position_embeddings": 256,
}
NETWORKS = {
    "llama": (transformers.LlamaConfig, {}),
    "tied": (transformers.LlamaConfig, {"tie_word_embeddings": True}),
    "mistral": (transformers.MistralConfig, {}),
    "qwen2": (transformers.Qwen2Config, {}),
    "qwen3": (transformers.Qwen3Config, {"head_dim": 32}),
    "gemma2": (transformers.Gemma2Config, {"head_dim": 32}),
    "phi3": (transformers.Phi3Config, {"pad_token_id": 0}),
    "mixtral": (transformers.MixtralConfig, {"num_local_experts": 4, "num_experts_per_tok": 2}),
}
WAYS = [
    {"network": "llama", "method": "full"},
    {"network": "llama", "method": "full", "checkpointing": True},
    {"network": "llama", "method": "full", "optimizer": "adafactor"},
    {"network": "llama", "method": "full", "optimizer": "sgd"},
    {"network": "llama", "method": "lora", "targets": ["q_proj", "v_proj"]},
    {"network": "llama", "method": "lora"},
    {"network": "llama", "method": "lora", "checkpointing": True},
    {"network": "tied", "method": "full"},
    {"network": "qwen2", "method": "full"},
    {"network": "mistral", "method": "lora"},
]
ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
OPTIMIZERS = {"adamw": torch.optim.AdamW, "adafactor": torch.optim.Adafactor, "sgd": torch.optim.SGD}


def build(network, layers):
    cls, more = NETWORKS[network]
    config = cls(**COMMON, **more, num_hidden_layers=layers)
    torch.manual_seed(0)
    return transformers.AutoModelForCausalLM.from_config(config)


def tuned(way, layers):
    model = build(way["network"], layers).to(torch.bfloat16)
    if way["method"] == "lora":
        model = get_peft_model(model, LoraConfig(r=8, target_modules=way.get("targets", ALL)))
        model.enable_input_require_grads()
    if way.get("checkpointing"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return model.train()


def saved(way, layers):
    """Bytes of what the forward pass saves, but for parameters and buffers."""
    model = tuned(way, layers)
    own = {t.untyped_storage().data_ptr() for t in [*model.parameters(), *model.buffers()]}
    seen, kept = {}, []

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            seen[storage.data_ptr()] = storage.nbytes()
            kept.append(tensor)
        return tensor

    tokens = torch.randint(0, COMMON["vocab_size"], (BATCH, SEQUENCE))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        model(input_ids=tokens, labels=tokens)
    return sum(seen.values())


def size(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def state(way):
    """What is held after a step: weights that learn are in 32 bits, as PEFT has them."""
    model = tuned(way, 2)
    if way["method"] == "full":
        model = model.float()
    learning = [p for p in model.parameters() if p.requires_grad]
    optimizer = OPTIMIZERS[way.get("optimizer", "adamw")](learning, lr=1e-3)
    tokens = torch.randint(0, COMMON["vocab_size"], (1, 8))
    model(input_ids=tokens, labels=tokens).loss.backward()
    optimizer.step()
    moments = [v for s in optimizer.state.values() for v in s.values() if torch.is_tensor(v) and v.dim() > 0]
    return {
        "trainable": sum(p.numel() for p in learning),
        "weights_bytes": size(model.parameters()),
        "gradients_bytes": size(p.grad for p in learning),
        "optimizer_bytes": size(moments),
    }


for name in NETWORKS:
    model = build(name, 2)
    model.config.save_pretrained(f"{FOLDER}/{name}")
    print(json.dumps({"network": name, "params": model.num_parameters()}))
for way in WAYS:
    layer = (saved(way, 3) - saved(way, 2)) / (SEQUENCE * BATCH)
    print(json.dumps({**way, **state(way), "layer_bytes_per_token": layer}))
