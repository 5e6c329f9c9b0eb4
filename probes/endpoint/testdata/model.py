"""Writes a small random network of Llama's kind, with a token for each of some words. It never
ends an answer by itself."""
import sys

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

folder, spoken = sys.argv[1], list(dict.fromkeys(sys.argv[2:]))
torch.manual_seed(1)
words = spoken + [f"w{i}" for i in range(2045 - len(spoken))] + ["<s>", "</s>", "<unk>"]
words = {word: i for i, word in enumerate(words)}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="</s>"
).save_pretrained(folder)
config = LlamaConfig(
    vocab_size=2048, hidden_size=256, intermediate_size=688, num_hidden_layers=4, num_attention_heads=8,
    num_key_value_heads=4, max_position_embeddings=4096, bos_token_id=2045, eos_token_id=2046, pad_token_id=2046,
)
network = LlamaForCausalLM(config).to(torch.float32)
network.lm_head.weight.data[2045:] = 0
network.save_pretrained(folder)
