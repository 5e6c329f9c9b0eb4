"""A character model whose batches are cut out of one text by a range, in a function that trains for an epoch; nothing loads data."""

import argparse

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--width", type=int, default=12)
args = parser.parse_args()

text = torch.randint(0, 30, (20, 241)).t().contiguous()
held_out = torch.randint(0, 30, (5, 60)).t().contiguous()
embedding, rnn, head = nn.Embedding(30, 24), nn.GRU(24, 48), nn.Linear(48, 30)
network = nn.ModuleList([embedding, rnn, head])
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)


def loss_of(words, at):
    n = min(args.width, words.size(0) - 1 - at)
    seen, _ = rnn(embedding(words[at : at + n]))
    return nn.functional.cross_entropy(head(seen).flatten(0, 1), words[at + 1 : at + 1 + n].flatten())


def train():
    network.train()
    for number, at in enumerate(range(0, text.size(0) - 1, args.width)):
        optimizer.zero_grad()
        loss = loss_of(text, at)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.25)
        optimizer.step()
        if number % 10 == 0:
            print("batch %d of %d: %.4f" % (number, (text.size(0) - 1) // args.width, loss.item()))


@torch.no_grad()
def evaluate():
    network.eval()
    return sum(loss_of(held_out, at).item() for at in range(0, held_out.size(0) - 1, args.width))


for epoch in range(1, args.epochs + 1):
    train()
    print("epoch %d: %.4f" % (epoch, evaluate()))
weights.tell(network)
