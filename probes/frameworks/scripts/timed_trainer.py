"""Hugging Face's Trainer, which times its steps itself by a callback: two batches a step, an evaluation every 50 steps."""

import tempfile

import steptime
import torch
import weights
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed

torch.set_num_threads(1)
set_seed(1)


class Sentences(Dataset):
    def __init__(self, size):
        self.words = torch.randint(4, 200, (size, 32))
        self.labels = (self.words[:, 0] % 3).long()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": self.words[i], "labels": self.labels[i]}


class Timing(TrainerCallback):
    def __init__(self):
        self.steps = steptime.Steps()

    def on_optimizer_step(self, args, state, control, **_):
        self.steps.ended()


class Timed(Trainer):
    def evaluate(self, *args, **kwargs):
        with timing.steps.between():
            return super().evaluate(*args, **kwargs)


timing = Timing()
config = BertConfig(vocab_size=200, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, num_labels=3)
model = BertForSequenceClassification(config)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, max_steps=150, per_device_train_batch_size=6, gradient_accumulation_steps=2, eval_strategy="steps", eval_steps=50,
        save_strategy="no", logging_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, seed=1,
    )
    trainer = Timed(model=model, args=arguments, train_dataset=Sentences(660), eval_dataset=Sentences(60), callbacks=[timing])
    trainer.train()
timing.steps.tell()
weights.tell(model)
