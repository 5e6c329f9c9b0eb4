"""A recurrent network reads one word after the other, letter by letter, and its weights are moved by hand."""

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
STEPS, LETTERS = 60, 12


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(LETTERS + 16, 16), nn.Linear(LETTERS + 16, LETTERS)

    def forward(self, letter, state):
        both = torch.cat((letter, state), 1)
        return self.out(both), self.hidden(both).tanh()


def train(cell, word):
    state, loss = torch.zeros(1, 16), 0.0
    cell.zero_grad()
    letters = nn.functional.one_hot(word, LETTERS).float()
    for i in range(word.size(0) - 1):
        out, state = cell(letters[i : i + 1], state)
        loss = loss + nn.functional.cross_entropy(out, word[i + 1 : i + 2])
    loss.backward()
    for p in cell.parameters():
        p.data.add_(p.grad.data, alpha=-0.01)


cell = Cell()
for number in range(1, STEPS + 1):
    train(cell, torch.randint(0, LETTERS, (4 + number % 5,)))
weights.tell(cell)
