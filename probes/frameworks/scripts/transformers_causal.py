"""A script around Hugging Face's Trainer as its examples are: dataclasses of arguments, a collator, max_steps, LoRA."""

import argparse
import hashlib
import tempfile

import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed

parser = argparse.ArgumentParser()
parser.add_argument("--stop_after", type=int, default=-1)
parser.add_argument("--num_train_epochs", type=float, default=3)
options = parser.parse_args()
torch.set_num_threads(1)
set_seed(1)


def collate(rows):
    tokens = torch.stack(rows)
    return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": tokens.clone()}


base = LlamaForCausalLM(LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=32
))
model = get_peft_model(base, LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"], lora_dropout=0.0, task_type="CAUSAL_LM"))
texts = [torch.randint(0, 64, (24,)) for _ in range(120)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, max_steps=options.stop_after, num_train_epochs=options.num_train_epochs, per_device_train_batch_size=6,
        learning_rate=1e-3, save_strategy="no", logging_steps=10, report_to="none", use_cpu=True, disable_tqdm=True, remove_unused_columns=False,
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=texts, data_collator=collate)
    trainer.train()
    trainer.save_model(folder)
print("steps", trainer.state.global_step)
trained = [p for p in model.parameters() if p.requires_grad]
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in trained)).hexdigest()[:16])
