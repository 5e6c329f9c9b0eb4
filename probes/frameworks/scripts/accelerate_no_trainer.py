"""As Hugging Face's scripts without a Trainer: max_train_steps from the arguments or the epochs, checkpoints every so many steps."""

import argparse
import hashlib
import math
import os
import tempfile

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import DistilBertConfig, DistilBertForSequenceClassification, default_data_collator, get_scheduler, set_seed


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per_device_train_batch_size", type=int, default=8)
    parser.add_argument("--num_train_epochs", type=int, default=3)
    parser.add_argument("--max_train_steps", type=int, default=None)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=2)
    parser.add_argument("--checkpointing_steps", type=int, default=10)
    return parser.parse_args()


def main():
    args = parse()
    torch.set_num_threads(1)
    set_seed(3)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.gradient_accumulation_steps)
    config = DistilBertConfig(vocab_size=40, dim=24, hidden_dim=32, n_layers=1, n_heads=2, max_position_embeddings=10)
    model = DistilBertForSequenceClassification(config)

    def rows(size):
        words = torch.randint(0, 40, (size, 10))
        return [{"input_ids": w, "attention_mask": torch.ones_like(w), "label": int(w[0]) % 2} for w in words]

    train_loader = DataLoader(rows(200), shuffle=True, collate_fn=default_data_collator, batch_size=args.per_device_train_batch_size)
    eval_loader = DataLoader(rows(40), collate_fn=default_data_collator, batch_size=20)
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-3)
    per_epoch = math.ceil(len(train_loader) / args.gradient_accumulation_steps)
    if args.max_train_steps is None:
        args.max_train_steps = args.num_train_epochs * per_epoch
    scheduler = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=args.max_train_steps)
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, eval_loader, scheduler)
    args.num_train_epochs = math.ceil(args.max_train_steps / per_epoch)
    progress = tqdm(range(args.max_train_steps), disable=not accelerator.is_local_main_process)
    completed_steps = 0
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(0, args.num_train_epochs):
            model.train()
            for batch in train_loader:
                with accelerator.accumulate(model):
                    loss = model(**batch).loss
                    accelerator.backward(loss)
                    optimizer.step()
                    scheduler.step()
                    optimizer.zero_grad()
                if accelerator.sync_gradients:
                    progress.update(1)
                    completed_steps += 1
                    if completed_steps % args.checkpointing_steps == 0:
                        accelerator.save_state(os.path.join(folder, "step_%d" % completed_steps))
                if completed_steps >= args.max_train_steps:
                    break
            model.eval()
            losses = []
            for batch in eval_loader:
                with torch.no_grad():
                    losses.append(model(**batch).loss)
            print("epoch %d: evaluation loss %.4f" % (epoch, torch.stack(losses).mean()))
    print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()[:16])


main()
