"""Hugging Face's Trainer up to max_steps, over a stream without an end: an evaluation every 10 steps, a checkpoint every 20."""

import hashlib
import tempfile

import torch
from torch.utils.data import IterableDataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

torch.set_num_threads(1)
set_seed(0)


class Corpus(IterableDataset):
    def __init__(self, seed, size=None):
        self.seed, self.size = seed, size

    def __iter__(self):
        generator, n = torch.Generator().manual_seed(self.seed), 0
        while n != self.size:
            tokens = torch.randint(0, 50, (16,), generator=generator)
            yield {"input_ids": tokens, "labels": tokens}
            n += 1


model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=2, n_head=2))
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, max_steps=40, per_device_train_batch_size=4, gradient_accumulation_steps=3, learning_rate=1e-3,
        eval_strategy="steps", eval_steps=10, save_steps=20, logging_steps=20, report_to="none", use_cpu=True, seed=0,
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=Corpus(1), eval_dataset=Corpus(2, 24))
    result = trainer.train()
    print("stopped after %d steps" % result.global_step)
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()[:16])
