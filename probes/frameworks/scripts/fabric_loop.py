"""A loop of one's own with Lightning's Fabric: backward and save through it, an evaluation after every epoch."""

import hashlib
import os
import tempfile

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


@torch.no_grad()
def evaluate(fabric, model, loader):
    model.eval()
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    fabric.print("right:", right)
    model.train()


def main():
    num_epochs = 3
    fabric = lightning.Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    fabric.seed_everything(5, verbose=False)
    model = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 5))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    train = DataLoader(TensorDataset(torch.rand(150, 1, 8, 8), torch.randint(0, 5, (150,))), batch_size=10, shuffle=True)
    test = DataLoader(TensorDataset(torch.rand(60, 1, 8, 8), torch.randint(0, 5, (60,))), batch_size=20)
    train, test = fabric.setup_dataloaders(train, test)
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(num_epochs):
            for i, (x, y) in enumerate(train):
                accumulating = (i + 1) % 3 != 0
                with fabric.no_backward_sync(model, enabled=accumulating):
                    fabric.backward(nn.functional.cross_entropy(model(x), y) / 3)
                if not accumulating:
                    optimizer.step()
                    optimizer.zero_grad()
            evaluate(fabric, model, test)
            fabric.save(os.path.join(folder, "epoch-%d.ckpt" % epoch), {"model": model, "optimizer": optimizer, "epoch": epoch})
    fabric.print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()[:16])


if __name__ == "__main__":
    main()
