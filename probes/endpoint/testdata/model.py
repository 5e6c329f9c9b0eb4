"""Writes a small random network of Llama's kind, with a word for each token."""
import sys

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

folder = sys.argv[1]
torch.manual_seed(1)
words = {f"w{i}": i for i in range(2000)} | {"<s>": 2000, "</s>": 2001, "<unk>": 2002}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="</s>"
).save_pretrained(folder)
config = LlamaConfig(
    vocab_size=2048, hidden_size=256, intermediate_size=688, num_hidden_layers=4, num_attention_heads=8,
    num_key_value_heads=4, max_position_embeddings=4096, bos_token_id=2000, eos_token_id=2001, pad_token_id=2001,
)
LlamaForCausalLM(config).to(torch.float32).save_pretrained(folder)
