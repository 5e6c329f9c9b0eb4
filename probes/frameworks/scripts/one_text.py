"""Texts one by one, each given as its words alone: the recurrent layer within sees a batch of one."""

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(31)
texts = [(torch.randint(20, (n,)), torch.randint(3, (n,))) for n in (5, 4, 7)]


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.layer, self.tags = nn.Embedding(20, 6), nn.LSTM(6, 8), nn.Linear(8, 3)

    def forward(self, text):
        seen, _ = self.layer(self.words(text).view(len(text), 1, -1))
        return self.tags(seen.view(len(text), -1))


model = Tagger()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(12):
    for text, tags in texts:
        model.zero_grad()
        nn.functional.cross_entropy(model(text), tags).backward()
        optimizer.step()
weights.tell(model)
