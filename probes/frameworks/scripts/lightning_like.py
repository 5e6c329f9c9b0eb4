"""Structured as with a trainer and a module: sanity check, closures, hooks, a checkpoint after every epoch."""

import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 4))

    def training_step(self, batch):
        return nn.functional.cross_entropy(self.body(batch["x"]), batch["y"])

    def validation_step(self, batch):
        return (self.body(batch["x"]).argmax(1) == batch["y"]).float().mean()

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
        return optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)


class WrappedOptimizer:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self, closure):
        return self.optimizer.step(closure=closure)


class Trainer:
    def __init__(self, max_epochs, directory):
        self.max_epochs, self.directory = max_epochs, directory

    def fit(self, net, train, val):
        optimizer, scheduler = net.configure_optimizers()
        wrapped = WrappedOptimizer(optimizer)
        self.evaluate(net, val, limit=2)
        net.train()
        for epoch in range(self.max_epochs):
            for batch in train:

                def closure(batch=batch):
                    optimizer.zero_grad()
                    loss = net.training_step(batch)
                    loss.backward()
                    return loss

                wrapped.step(closure)
            self.evaluate(net, val)
            net.train()
            scheduler.step()
            torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, os.path.join(self.directory, "epoch%d.pt" % epoch))

    @torch.no_grad()
    def evaluate(self, net, val, limit=None):
        net.eval()
        for i, batch in enumerate(val):
            if i == limit:
                break
            net.validation_step(batch)


def collate(rows):
    return {"x": torch.stack([r[0] for r in rows]), "y": torch.stack([r[1] for r in rows])}


data = TensorDataset(torch.randn(60, 12), torch.randint(0, 4, (60,)))
held_out = TensorDataset(torch.randn(33, 12), torch.randint(0, 4, (33,)))
with tempfile.TemporaryDirectory() as directory:
    Trainer(2, directory).fit(Net(), DataLoader(data, batch_size=10, shuffle=True, collate_fn=collate), DataLoader(held_out, batch_size=8, collate_fn=collate))
print("fitted")
