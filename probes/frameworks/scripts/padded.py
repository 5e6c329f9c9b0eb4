"""Sentences padded to one length, words before samples; each epoch counts its batches by one more pass over them."""

import torch
import weights
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.set_num_threads(1)
torch.manual_seed(0)


def sentence():
    return torch.randint(2, 20, (int(torch.randint(3, 9, ())),))


def collate(pairs):
    return tuple(pad_sequence(sentences, padding_value=1) for sentences in zip(*pairs))


pairs = [(sentence(), sentence()) for _ in range(60)]
embedding, network = nn.Embedding(20, 8), nn.GRU(8, 8)
model = nn.ModuleList([embedding, network, nn.Linear(8, 20)])
optimizer = torch.optim.Adam(model.parameters())


def loss_of(source, target):
    _, state = network(embedding(source))
    out, _ = network(embedding(target[:-1]), state)
    return nn.functional.cross_entropy(model[2](out).reshape(-1, 20), target[1:].reshape(-1), ignore_index=1)


for epoch in range(2):
    model.train()
    loader, losses = DataLoader(pairs[:48], batch_size=8, shuffle=True, collate_fn=collate), 0.0
    for source, target in loader:
        loss = loss_of(source, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += loss.item()
    print(epoch, losses / len(list(loader)))
    model.eval()
    print(sum(loss_of(s, t).item() for s, t in DataLoader(pairs[48:], batch_size=8, collate_fn=collate)))
weights.tell(model)
