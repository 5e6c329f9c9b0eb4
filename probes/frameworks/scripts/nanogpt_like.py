"""Counted in iterations as nanoGPT is: configuration in globals, batches cut out of one text, micro steps, an estimate of the losses now and then."""

import hashlib
import os
import sys
import tempfile
from contextlib import nullcontext

import torch
from torch import nn

out_dir = tempfile.mkdtemp()
eval_interval = 20
eval_iters = 4
gradient_accumulation_steps = 2
batch_size = 6
block_size = 16
max_iters = 60
learning_rate = 1e-3
dtype = "float32"
compile = "--compile=True" in sys.argv

torch.set_num_threads(1)
torch.manual_seed(1337)
text = torch.randint(0, 40, (4000,))
splits = {"train": text[:3600], "val": text[3600:]}
ctx = nullcontext() if dtype == "float32" else torch.autocast("cpu", torch.bfloat16)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.mix, self.out = nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.out(nn.functional.gelu(self.mix(self.norm(x.cumsum(1) / 4))))


class GPT(nn.Module):
    def __init__(self, vocabulary=40, width=32, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(layers)])
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.embedding.weight = self.head.weight

    def forward(self, tokens, targets):
        logits = self.head(self.blocks(self.embedding(tokens)))
        return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def get_batch(split):
    data = splits[split]
    at = torch.randint(len(data) - block_size, (batch_size,))
    return torch.stack([data[i : i + block_size] for i in at]), torch.stack([data[i + 1 : i + 1 + block_size] for i in at])


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in splits:
        out[split] = torch.tensor([model(*get_batch(split)) for _ in range(eval_iters)]).mean()
    model.train()
    return out


model = GPT()
if compile:
    model = torch.compile(model, backend="aot_eager")
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.1)
X, Y = get_batch("train")
iter_num = 0
best_val_loss = 1e9
while True:
    if iter_num % eval_interval == 0:
        losses = estimate_loss()
        print("step %d: train loss %.4f, val loss %.4f" % (iter_num, losses["train"], losses["val"]))
        if losses["val"] < best_val_loss:
            best_val_loss = losses["val"]
            if iter_num > 0:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, os.path.join(out_dir, "ckpt.pt"))
    for micro_step in range(gradient_accumulation_steps):
        with ctx:
            loss = model(X, Y) / gradient_accumulation_steps
        X, Y = get_batch("train")
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    iter_num += 1
    if iter_num > max_iters:
        break
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()[:16])
