"""A loop as timm's train.py has it: its model, optimizer and scheduler, an EMA copy that is validated as well, a checkpoint saver."""

import argparse
import hashlib
import logging
import os
import tempfile

import timm
import timm.optim
import timm.scheduler
import timm.utils
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.disable(logging.WARNING)
torch.set_num_threads(1)
parser = argparse.ArgumentParser()
parser.add_argument("--model", default="resnet10t")
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("-b", "--batch-size", type=int, default=8)
parser.add_argument("--ema", choices=["v2", "v3"], default="v3")


def train_one_epoch(epoch, model, loader, optimizer, loss_fn, scheduler, ema):
    model.train()
    losses = timm.utils.AverageMeter()
    updates = epoch * len(loader)
    for index, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        updates += 1
        ema.update(model, step=updates) if isinstance(ema, timm.utils.ModelEmaV3) else ema.update(model)
        losses.update(loss.item(), x.size(0))
        scheduler.step_update(num_updates=updates, metric=losses.avg)
    return losses.avg


def validate(model, loader):
    model.eval()
    top1 = timm.utils.AverageMeter()
    with torch.no_grad():
        for x, y in loader:
            (right,) = timm.utils.accuracy(model(x), y, topk=(1,))
            top1.update(right.item(), x.size(0))
    return top1.avg


def main():
    args = parser.parse_args()
    timm.utils.random_seed(42, 0)
    model = timm.create_model(args.model, num_classes=4, stem_width=8) if args.model == "resnet10t" else timm.create_model(args.model, num_classes=4)
    optimizer = timm.optim.create_optimizer_v2(model, opt="sgd", lr=0.05, momentum=0.9, weight_decay=2e-5)
    ema = (timm.utils.ModelEmaV3 if args.ema == "v3" else timm.utils.ModelEmaV2)(model, decay=0.99)
    train = DataLoader(TensorDataset(torch.rand(100, 3, 32, 32), torch.randint(0, 4, (100,))), args.batch_size, shuffle=True, drop_last=True)
    test = DataLoader(TensorDataset(torch.rand(32, 3, 32, 32), torch.randint(0, 4, (32,))), 16)
    scheduler, num_epochs = timm.scheduler.create_scheduler_v2(
        optimizer, sched="cosine", num_epochs=args.epochs, warmup_epochs=0, updates_per_epoch=len(train)
    )
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(num_epochs):
            loss = train_one_epoch(epoch, model, train, optimizer, nn.CrossEntropyLoss(), scheduler, ema)
            top1, ema_top1 = validate(model, test), validate(ema.module, test)
            torch.save({"state_dict": model.state_dict(), "state_dict_ema": ema.module.state_dict()}, os.path.join(folder, "last.pth.tar"))
            scheduler.step(epoch + 1, ema_top1)
            print("epoch %d loss %.4f top1 %.2f ema %.2f" % (epoch, loss, top1, ema_top1))
    print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()[:16])


if __name__ == "__main__":
    main()
