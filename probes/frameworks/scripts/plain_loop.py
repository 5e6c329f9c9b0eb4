"""A plain training loop with a validation after every epoch."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
torch.manual_seed(0)


class Blobs(Dataset):
    def __init__(self, size):
        self.labels = torch.randint(0, 3, (size,))
        self.images = torch.randn(size, 1, 8, 8) + self.labels.float().view(-1, 1, 1, 1)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def main():
    epochs = 3
    train_loader = DataLoader(Blobs(100), batch_size=16, shuffle=True)
    test_loader = DataLoader(Blobs(40), batch_size=20)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    criterion = nn.CrossEntropyLoss()

    images, _ = next(iter(train_loader))
    print("batches look like", tuple(images.shape))
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        model.eval()
        right = 0
        with torch.no_grad():
            for x, y in test_loader:
                right += (model(x).argmax(1) == y).sum().item()
        print("epoch %d: %d of 40 right" % (epoch + 1, right))
    weights.tell(model)


main()
