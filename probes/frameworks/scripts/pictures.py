"""Pictures of different sizes in lists, as for the detection of objects: no dimension is that of the samples."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
torch.manual_seed(0)


class Pictures(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        random = torch.Generator().manual_seed(i)
        boxes = torch.rand(i % 3 + 1, 4, generator=random)
        return torch.rand(3, 8 + i % 5, 8, generator=random), {"boxes": boxes}


def collate(samples):
    return tuple(zip(*samples))


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Conv2d(3, 8, 3), nn.Linear(8, 4)

    def forward(self, images, targets):
        found = [self.head(self.body(i[None]).mean((2, 3))) for i in images]
        return sum((f - t["boxes"]).abs().mean() for f, t in zip(found, targets))


model = Detector()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(Pictures(30), batch_size=4, shuffle=True, collate_fn=collate)
for epoch in range(2):
    model.train()
    for images, targets in loader:
        loss = model(list(images), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.inference_mode():
        print(epoch, sum(model(list(i), t).item() for i, t in DataLoader(Pictures(6), collate_fn=collate)))
weights.tell(model)
