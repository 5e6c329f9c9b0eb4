"""A loop over a language model of one's own, which is built as Llama is: sequences of many lengths, accumulation, checkpointing, ranks."""

import hashlib
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

way = sys.argv[1] if len(sys.argv) > 1 else ""
torch.set_num_threads(1)
torch.manual_seed(7)
rank = int(os.environ.get("RANK", 0))


class Attention(nn.Module):
    def __init__(self, width, heads, kv_heads):
        super().__init__()
        self.n_heads, self.head_dim = heads, width // heads
        self.wq = nn.Linear(width, width, bias=False)
        self.wk, self.wv = (nn.Linear(width, kv_heads * self.head_dim, bias=False) for _ in range(2))
        self.wo = nn.Linear(width, width, bias=False)

    def forward(self, x):
        q, k, v = (w(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
        return self.wo(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.w1, self.w2, self.w3 = nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False), nn.Linear(width, inner, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, width, heads, kv_heads, inner):
        super().__init__()
        self.attention, self.feed_forward = Attention(width, heads, kv_heads), FeedForward(width, inner)
        self.attention_norm, self.ffn_norm = nn.RMSNorm(width), nn.RMSNorm(width)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.ffn_norm(x))


class Network(nn.Module):
    def __init__(self, vocabulary=50, width=32, layers=3):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList([Block(width, 4, 2, 48) for _ in range(layers)])
        self.norm, self.output = nn.RMSNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, words):
        x = self.embedding(words)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if way == "checkpointing" else layer(x)
        return self.output(self.norm(x))


def padded(rows):
    """Rows of one length, which differs from batch to batch."""
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


model = Network()
lengths = [9 + 4 * (i // 4 % 2) for i in range(96)]  # of four in a row alike
texts = [torch.randint(1, 50, (n,)) for n in lengths]
sampler = None
if way in ("ddp", "fsdp"):
    import torch.distributed as dist

    dist.init_process_group("gloo")
    sampler = torch.utils.data.DistributedSampler(texts, shuffle=False)
    if way == "ddp":
        model = nn.parallel.DistributedDataParallel(model)
    else:
        from torch.distributed.fsdp import fully_shard

        for layer in model.layers:
            fully_shard(layer)
        fully_shard(model)
loader = torch.utils.data.DataLoader(texts, batch_size=4, sampler=sampler, collate_fn=padded)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
steps = 2
for epoch in range(2):
    model.train()
    for i, batch in enumerate(loader):
        scores = model(batch[:, :-1])
        loss = F.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten(), ignore_index=0) / steps
        loss.backward()
        if i % steps == steps - 1:
            optimizer.step()
            optimizer.zero_grad()
    if rank == 0:
        print("epoch", epoch)
if rank == 0:
    parameters = [p.to_local() if hasattr(p, "to_local") else p for p in model.parameters()]
    print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in parameters)).hexdigest()[:16])
if way in ("ddp", "fsdp"):
    dist.barrier()  # PyTorch aborts a process whose Gloo thread still holds a tensor as Python ends
    dist.destroy_process_group()
