"""A language model of transformers, its layers shared out over ranks by FSDP: the first version, or fully_shard with LoRA."""

import functools
import os
import sys

import torch
import torch.distributed as dist
import weights
from torch.distributed.fsdp import MixedPrecision, MixedPrecisionPolicy, ShardingStrategy, fully_shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaDecoderLayer

way = sys.argv[1]
torch.set_num_threads(1)
torch.manual_seed(4)
dist.init_process_group("gloo")
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=64,
))
if way == "lora":
    from peft import LoraConfig, get_peft_model

    model = get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
    for layer in model.base_model.model.model.layers:
        fully_shard(layer, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    fully_shard(model, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
else:
    model = FSDP(
        model, auto_wrap_policy=functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={LlamaDecoderLayer}),
        sharding_strategy=ShardingStrategy[way], mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
        device_id=torch.device("cpu"), use_orig_params=True,
    )
texts = [torch.randint(64, (28,)) for _ in range(96)]
sampler = DistributedSampler(texts)
loader = DataLoader(texts, batch_size=3, sampler=sampler)
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3, foreach=False)
for epoch in range(2):
    sampler.set_epoch(epoch)
    model.train()
    for i, batch in enumerate(loader):
        (model(input_ids=batch, labels=batch).loss / 2).backward()
        if i % 2 == 1:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0) if way == "lora" else model.clip_grad_norm_(1.0)
            optimizer.step()
            optimizer.zero_grad()
if way == "lora":
    whole = torch.nn.ParameterList([p.full_tensor() for p in model.parameters()])
else:
    with FSDP.summon_full_params(model):
        whole = torch.nn.ParameterList([p.detach().clone() for p in model.parameters()])
if os.environ["RANK"] == "0":
    weights.tell(whole)
# PyTorch aborts a process whose Gloo thread still holds a tensor as Python ends.
dist.barrier()
dist.destroy_process_group()
