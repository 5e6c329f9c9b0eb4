"""Each sample is in a batch by chance, as Opacus draws them for differential privacy: no two batches need be as large."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


class ByChance:
    def __init__(self, num_samples, sample_rate):
        self.num_samples, self.sample_rate = num_samples, sample_rate

    def __len__(self):
        return int(1 / self.sample_rate)

    def __iter__(self):
        for _ in range(len(self)):
            yield (torch.rand(self.num_samples) < self.sample_rate).nonzero().flatten().tolist()


data = TensorDataset(torch.randn(400, 6), torch.randn(400, 1))
loader = DataLoader(data, batch_sampler=ByChance(len(data), 0.1))
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
drawn = []
for epoch in range(4):
    for x, y in loader:
        drawn.append(len(x))
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
print(drawn)
weights.tell(model)
