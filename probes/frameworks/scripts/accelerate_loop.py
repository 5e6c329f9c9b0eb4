"""A loop with accelerate: accumulation, an evaluation with gathered predictions and a saved state after every epoch."""

import hashlib
import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
NUM_EPOCHS = 3


def main():
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    set_seed(42)
    features = torch.randn(192, 20)
    labels = (features[:, :3].sum(1) > 0).long()
    train_loader = DataLoader(TensorDataset(features[:128], labels[:128]), batch_size=4, shuffle=True)
    eval_loader = DataLoader(TensorDataset(features[128:], labels[128:]), batch_size=16)
    model = nn.Sequential(nn.Linear(20, 32), nn.LayerNorm(32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    steps = len(train_loader) * NUM_EPOCHS
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, steps)
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, eval_loader, scheduler)
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(NUM_EPOCHS):
            model.train()
            for x, y in train_loader:
                with accelerator.accumulate(model):
                    loss = nn.functional.cross_entropy(model(x), y)
                    accelerator.backward(loss)
                    optimizer.step()
                    scheduler.step()
                    optimizer.zero_grad()
            model.eval()
            right = seen = 0
            for x, y in eval_loader:
                with torch.no_grad():
                    guess = model(x).argmax(-1)
                guess, wanted = accelerator.gather_for_metrics((guess, y))
                right, seen = right + (guess == wanted).sum().item(), seen + len(wanted)
            accelerator.print("epoch %d: accuracy %.3f of %d" % (epoch, right / seen, seen))
            accelerator.save_state(folder)
    parameters = accelerator.unwrap_model(model).parameters()
    accelerator.print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in parameters)).hexdigest()[:16])
    accelerator.end_training()


if __name__ == "__main__":
    main()
