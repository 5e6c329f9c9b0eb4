"""Two processes load the data; accuracy is taken on the training set too."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

torch.set_num_threads(1)


class Waves(Dataset):
    def __len__(self):
        return 80

    def __getitem__(self, index):
        x = torch.arange(16.0) * (1 + index % 3)
        return {"signal": torch.sin(x), "label": index % 3}


def check_accuracy(loader, model):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for batch in loader:
            right += (model(batch["signal"]).argmax(1) == batch["label"]).sum().item()
            total += len(batch["label"])
    model.train()
    return right / total


def main(epochs=2):
    train = DataLoader(Subset(Waves(), range(64)), batch_size=16, shuffle=True, num_workers=2)
    val = DataLoader(Subset(Waves(), range(64, 80)), batch_size=16)
    model = nn.Sequential(nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(epochs):
        for batch in train:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch["signal"]), batch["label"]).backward()
            optimizer.step()
        print(check_accuracy(train, model), check_accuracy(val, model))


if __name__ == "__main__":
    main()
