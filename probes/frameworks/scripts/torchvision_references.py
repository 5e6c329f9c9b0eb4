"""As torchvision's references/classification: a logger around the loader, an averaged model, two files of a checkpoint an epoch."""

import argparse
import datetime
import hashlib
import os
import tempfile
import time

import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler


class ExponentialMovingAverage(torch.optim.swa_utils.AveragedModel):
    def __init__(self, model, decay, device="cpu"):
        super().__init__(model, device, lambda old, new, n: decay * old + (1 - decay) * new, use_buffers=True)


class MetricLogger:
    def __init__(self):
        self.values = {}

    def update(self, **named):
        for name, value in named.items():
            self.values.setdefault(name, []).append(float(value))

    def log_every(self, iterable, print_freq, header):
        started = time.time()
        for i, obj in enumerate(iterable):
            yield obj
            if i % print_freq == 0:
                eta = datetime.timedelta(seconds=int((time.time() - started) / (i + 1) * (len(iterable) - i)))
                means = "  ".join("%s: %.4f" % (k, sum(v) / len(v)) for k, v in self.values.items())
                print("%s [%d/%d] eta: %s %s" % (header, i, len(iterable), eta, means))


def train_one_epoch(model, criterion, optimizer, data_loader, epoch, args, model_ema):
    model.train()
    logger = MetricLogger()
    for i, (image, target) in enumerate(logger.log_every(data_loader, args.print_freq, "Epoch: [%d]" % epoch)):
        loss = criterion(model(image), target)
        optimizer.zero_grad()
        loss.backward()
        if args.clip_grad_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad_norm)
        optimizer.step()
        if i % args.model_ema_steps == 0:
            model_ema.update_parameters(model)
        logger.update(loss=loss.item())


def evaluate(model, criterion, data_loader, log_suffix=""):
    model.eval()
    logger = MetricLogger()
    with torch.inference_mode():
        for image, target in logger.log_every(data_loader, 100, "Test: " + log_suffix):
            output = model(image)
            logger.update(loss=criterion(output, target), acc1=(output.argmax(1) == target).float().mean() * 100)
    print("%s Acc@1 %.3f" % (log_suffix, sum(logger.values["acc1"]) / len(logger.values["acc1"])))


def main(args):
    torch.set_num_threads(1)
    torch.manual_seed(11)
    dataset = torchvision.datasets.FakeData(64, (3, 32, 32), 5, torchvision.transforms.ToTensor())
    dataset_test = torchvision.datasets.FakeData(24, (3, 32, 32), 5, torchvision.transforms.ToTensor(), random_offset=1000)
    data_loader = DataLoader(dataset, batch_size=args.batch_size, sampler=RandomSampler(dataset), num_workers=args.workers)
    data_loader_test = DataLoader(dataset_test, batch_size=args.batch_size, sampler=SequentialSampler(dataset_test), num_workers=args.workers)
    model = torchvision.models.get_model(args.model, weights=None, num_classes=5)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    main_scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
    model_ema = ExponentialMovingAverage(model, decay=0.9)
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(args.start_epoch, args.epochs):
            train_one_epoch(model, criterion, optimizer, data_loader, epoch, args, model_ema)
            main_scheduler.step()
            evaluate(model, criterion, data_loader_test)
            evaluate(model_ema, criterion, data_loader_test, log_suffix="EMA")
            checkpoint = {"model": model.state_dict(), "model_ema": model_ema.state_dict(), "optimizer": optimizer.state_dict(), "args": args}
            torch.save(checkpoint, os.path.join(folder, "model_%d.pth" % epoch))
            torch.save(checkpoint, os.path.join(folder, "checkpoint.pth"))
    print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()[:16])


def get_args_parser():
    parser = argparse.ArgumentParser(add_help=True)
    parser.add_argument("--model", default="mobilenet_v3_small")
    parser.add_argument("-b", "--batch-size", default=8, type=int)
    parser.add_argument("--epochs", default=90, type=int)
    parser.add_argument("-j", "--workers", default=0, type=int)
    parser.add_argument("--lr", default=0.1, type=float)
    parser.add_argument("--start-epoch", default=0, type=int)
    parser.add_argument("--print-freq", default=10, type=int)
    parser.add_argument("--model-ema-steps", type=int, default=4)
    parser.add_argument("--clip-grad-norm", default=None, type=float)
    return parser


if __name__ == "__main__":
    main(get_args_parser().parse_args())
