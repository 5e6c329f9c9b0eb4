"""Cross-validation: another network and optimizer, other loaders and a checkpoint of the best for each fold, whose evaluation asks for each batch without gradients."""

import os
import tempfile

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(8)
folds, epochs = 3, 4
x = torch.randn(90, 6)
data = TensorDataset(x, (x[:, :1] > 0).float())
kept = []


def train(model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(x), y).backward()
        optimizer.step()


def evaluate(model, loader):
    model.eval()
    loss = 0.0
    for x, y in loader:
        with torch.no_grad():
            loss += nn.functional.binary_cross_entropy_with_logits(model(x), y, reduction="sum").item()
    return loss / len(loader.dataset)


with tempfile.TemporaryDirectory() as folder:
    for fold in range(folds):
        held_out = torch.arange(90) % folds == fold
        loader = DataLoader(Subset(data, (~held_out).nonzero().flatten().tolist()), batch_size=15, shuffle=True)
        valid_loader = DataLoader(Subset(data, held_out.nonzero().flatten().tolist()), batch_size=30)
        model = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
        best = float("inf")
        for epoch in range(epochs):
            train(model, loader, optimizer)
            loss = evaluate(model, valid_loader)
            print("fold %d, epoch %d: held out %.4f" % (fold, epoch, loss))
            if loss < best:
                best = loss
        torch.save(model.state_dict(), os.path.join(folder, "fold%d.pt" % fold))
        kept.append(best)
print("mean %.4f" % (sum(kept) / folds))
weights.tell(model)
