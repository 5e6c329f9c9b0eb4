"""The whole graph in each step, which is then evaluated on two parts of its nodes, and in the end on the rest."""

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(8)
nodes, classes = torch.randn(90, 12), torch.randint(3, (90,))
edges = (torch.rand(90, 90) < 0.05).float()
train, check, test = torch.arange(90).split([40, 20, 30])


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.own, self.near = nn.Linear(12, 3), nn.Linear(12, 3)

    def forward(self, nodes, edges):
        return self.own(nodes) + edges @ self.near(nodes)


def right(part):
    model.eval()
    with torch.no_grad():
        return int((model(nodes, edges)[part].argmax(1) == classes[part]).sum())


model = Graph()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(40):
    model.train()
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(nodes, edges)[train], classes[train]).backward()
    optimizer.step()
    print(epoch, right(train), right(check))
print(right(test))
weights.tell(model)
