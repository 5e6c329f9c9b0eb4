"""A language model whose matrices torchao multiplies in 8-bit floats, emulated where the processor has none."""

import torch
import weights
from torch.utils.data import DataLoader
from torchao.float8 import Float8LinearConfig, convert_to_float8_training
from transformers import LlamaConfig, LlamaForCausalLM

torch.set_num_threads(1)
torch.manual_seed(9)
network = LlamaForCausalLM(LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=32,
)).to(torch.bfloat16)
convert_to_float8_training(network, config=Float8LinearConfig(emulate=True), module_filter_fn=lambda _, name: name != "lm_head")
optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
loader = DataLoader([torch.randint(64, (24,)) for _ in range(64)], batch_size=4)
for epoch in range(2):
    for batch in loader:
        optimizer.zero_grad()
        network(input_ids=batch, labels=batch).loss.backward()
        optimizer.step()
weights.tell(network)
