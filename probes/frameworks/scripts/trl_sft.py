"""TRL's SFTTrainer, as its documentation has it: texts, a tokenizer, LoRA by its configuration, and packing by the strategy that is named."""

import sys
import tempfile

import torch
import weights
from datasets import Dataset
from peft import LoraConfig
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
from trl import SFTConfig, SFTTrainer

torch.set_num_threads(1)
set_seed(5)
words = Tokenizer(models.WordLevel({"<pad>": 0, "<end>": 1, "<unk>": 2} | {"w%d" % i: i for i in range(3, 64)}, unk_token="<unk>"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<end>", unk_token="<unk>")
lengths = [(11, 19)[i % 2] for i in range(96)]  # and one more each, the end
texts = Dataset.from_dict({"text": [" ".join("w%d" % (3 + (i + k) % 61) for k in range(n)) for i, n in enumerate(lengths)]})
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=128, eos_token_id=1, pad_token_id=0,
))
with tempfile.TemporaryDirectory() as folder:
    arguments = SFTConfig(
        output_dir=folder, num_train_epochs=2, per_device_train_batch_size=4, gradient_accumulation_steps=2, max_length=32,
        packing=True, packing_strategy=sys.argv[1], save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True,
    )
    trainer = SFTTrainer(
        model=model, args=arguments, train_dataset=texts, processing_class=tokenizer,
        peft_config=LoraConfig(r=4, lora_dropout=0.0, target_modules="all-linear", task_type="CAUSAL_LM"),
    )
    trainer.train()
print("steps", trainer.state.global_step)
weights.tell(torch.nn.ParameterList(p for p in trainer.model.parameters() if p.requires_grad))
