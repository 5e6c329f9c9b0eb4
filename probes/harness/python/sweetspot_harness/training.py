"""A training: forward, backward and step, with a validation after every epoch."""

import time

from . import events, machine, stopping
from .loading import Problem


def optimizer(name, model, rate):
    import torch

    parameters = [p for p in model.parameters() if p.requires_grad]
    if not parameters:
        raise Problem("the model has no parameter to train; use --mode infer")
    if name == "adam":
        return torch.optim.Adam(parameters, lr=rate or 1e-3)
    return torch.optim.SGD(parameters, lr=rate or 0.05, momentum=0.9)


class Trainer:
    def __init__(self, run):
        import torch

        self.run = run
        self.loss = torch.nn.CrossEntropyLoss()
        self.optimizer = optimizer(run.options.optimizer, run.model, run.options.rate)
        self.slowest = 0.0
        self.steps = 0

    def go(self):
        import torch

        run = self.run
        events.emit("init", seconds=round(events.since_start(), 6))
        for epoch in range(run.options.epochs):
            run.model.train()
            begin = time.perf_counter()
            order = torch.randperm(len(run.train))
            for index, rows in enumerate(order.split(run.options.batch)):
                try:
                    stopping.check()
                except stopping.Interrupted:
                    self.validation_time(epoch)
                    raise
                self.step(rows)
                run.synchronize()
                now = time.perf_counter()
                # The shuffle of an epoch belongs to its first step.
                events.iteration(epoch, index, now - begin, len(rows))
                self.steps += 1
                if run.memory_is_due(now):
                    machine.memory(run.device)
                begin = time.perf_counter()
            if run.test is not None:
                seconds, accuracy = self.validate(epoch)
                self.report(epoch, seconds, accuracy)

    def step(self, rows):
        run = self.run
        x, y = run.train.batch(rows, run.device)
        self.optimizer.zero_grad(set_to_none=True)
        with run.context():
            loss = self.loss(run.model(x), y)
        if run.scaler is None:
            loss.backward()
            self.optimizer.step()
            return
        run.scaler.scale(loss).backward()
        run.scaler.step(self.optimizer)
        run.scaler.update()

    def validate(self, epoch, limit=None):
        """Seconds and top-1 accuracy over the test set.

        Cut off at limit seconds, the batches so far stand for the rest, which
        are as large, and the accuracy is None.
        """
        import torch

        run = self.run
        run.model.eval()
        begin = time.perf_counter()
        right = torch.zeros((), dtype=torch.long, device=run.device)
        with torch.no_grad():
            done = 0
            for rows in torch.arange(len(run.test)).split(max(run.options.batch, 256)):
                x, y = run.test.batch(rows, run.device)
                with run.context():
                    right += (run.model(x).argmax(1) == y).sum()
                done += len(rows)
                if limit is None:
                    stopping.check()
                elif time.perf_counter() - begin > limit and done < len(run.test):
                    return (time.perf_counter() - begin) * len(run.test) / done, None
        value = int(right) / len(run.test)
        return time.perf_counter() - begin, value

    def validation_time(self, epoch):
        """What a validation takes, for a probe that was stopped before its first.

        The accuracy of a network trained for a part of an epoch says nothing,
        so it stays unknown.
        """
        if epoch == 0 and self.steps > 0 and self.run.test is not None:
            seconds, _ = self.validate(epoch, limit=3)
            self.report(epoch, seconds, None)

    def report(self, epoch, seconds, accuracy):
        events.emit(
            "validation", epoch=epoch, seconds=round(seconds, 9), metric="top1", value=accuracy,
            higher_is_better=True, units=len(self.run.test),
        )
