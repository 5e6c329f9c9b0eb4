"""QLoRA as its authors have it: a base in 4 bits by bitsandbytes, LoRA beside it, checkpointing, and the Trainer."""

import tempfile

import torch
import weights
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import (
    AutoModelForCausalLM, BitsAndBytesConfig, LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed,
)

torch.set_num_threads(1)
set_seed(2)


def collate(rows):
    tokens = torch.stack(rows)
    return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": tokens.clone()}


texts = [torch.randint(0, 80, (24,)) for _ in range(96)]
with tempfile.TemporaryDirectory() as folder:
    LlamaForCausalLM(LlamaConfig(
        vocab_size=80, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=64,
    )).save_pretrained(folder)
    bits = BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=torch.bfloat16,
    )
    base = AutoModelForCausalLM.from_pretrained(folder, quantization_config=bits, device_map="cpu")
    model = get_peft_model(prepare_model_for_kbit_training(base), LoraConfig(
        r=8, lora_dropout=0.0, target_modules=["q_proj", "k_proj", "v_proj", "o_proj"], task_type="CAUSAL_LM",
    ))
    arguments = TrainingArguments(
        output_dir=folder, num_train_epochs=2, per_device_train_batch_size=4, gradient_accumulation_steps=3, bf16=True, save_strategy="no",
        logging_steps=10, report_to="none", use_cpu=True, disable_tqdm=True, remove_unused_columns=False,
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=texts, data_collator=collate)
    trainer.train()
print("steps", trainer.state.global_step)
weights.tell(torch.nn.ParameterList(p for p in model.parameters() if p.requires_grad))
