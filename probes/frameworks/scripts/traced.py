"""Training of a network whose graph is printed before: traced by TorchScript, or exported."""

import sys
import warnings

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
warnings.simplefilter("ignore")  # TorchScript is deprecated, and still what draws graphs for TensorBoard
EPOCHS, BATCH = 3, 10


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return x + self.second(torch.relu(self.first(x)))


def show(model, x):
    if sys.argv[1] == "trace":
        print(torch.jit.trace(model, x).code)
    else:
        shapes = ({0: torch.export.Dim("samples")},)
        print(torch.export.export(model, (x,), dynamic_shapes=shapes, strict=sys.argv[1] == "strict").graph_module.code)


def main():
    model = nn.Sequential(Block(8), Block(8), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(60, 8), torch.randint(0, 2, (60,))), batch_size=BATCH)
    show(model, next(iter(loader))[0])
    for epoch in range(EPOCHS):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    weights.tell(model)


if __name__ == "__main__":
    main()
