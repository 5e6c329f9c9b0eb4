"""First the head is trained, then the middle, then all of it. Each stage has an optimizer; all are kept."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

loader = DataLoader(TensorDataset(torch.randn(50, 6), torch.randint(0, 3, (50,))), batch_size=5, shuffle=True)
body, middle, head = nn.Linear(6, 12), nn.Linear(12, 12), nn.Linear(12, 3)
model = nn.Sequential(body, nn.ReLU(), middle, nn.ReLU(), head)
stages = [
    (2, torch.optim.SGD(head.parameters(), lr=0.1)),
    (1, torch.optim.SGD(middle.parameters(), lr=0.1)),
    (3, torch.optim.Adam(model.parameters(), lr=0.001)),
]


def train(optimizer, rounds):
    for _ in range(rounds):
        for x, y in loader:
            model.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    return loss.item()


for rounds, optimizer in stages:
    print("%s: %.4f" % (type(optimizer).__name__, train(optimizer, rounds)))
weights.tell(model)
