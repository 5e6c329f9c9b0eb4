"""A fine-tune as most are: LoRA on a frozen network in 16 bits by Hugging Face's Trainer, texts padded to their batch, accumulation, checkpointing."""

import hashlib
import tempfile

import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed

torch.set_num_threads(1)
set_seed(3)


def collate(rows):
    tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return {"input_ids": tokens, "attention_mask": (tokens > 0).long(), "labels": tokens.masked_fill(tokens == 0, -100)}


base = LlamaForCausalLM(LlamaConfig(
    vocab_size=80, hidden_size=48, intermediate_size=96, num_hidden_layers=3, num_attention_heads=6, num_key_value_heads=2,
    max_position_embeddings=64,
)).to(torch.bfloat16)
model = get_peft_model(base, LoraConfig(r=8, target_modules=["q_proj", "v_proj", "down_proj"], lora_dropout=0.0, task_type="CAUSAL_LM"))
texts = [torch.randint(1, 80, (20 if i % 6 < 3 else 32,)) for i in range(180)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, num_train_epochs=2, per_device_train_batch_size=3, gradient_accumulation_steps=2, gradient_checkpointing=True,
        learning_rate=1e-3, bf16=True, save_strategy="no", logging_steps=20, report_to="none", use_cpu=True, disable_tqdm=True,
        remove_unused_columns=False, train_sampling_strategy="sequential",
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=texts, data_collator=collate)
    trainer.train()
print("steps", trainer.state.global_step)
trained = [p for p in model.parameters() if p.requires_grad]
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in trained)).hexdigest()[:16])
