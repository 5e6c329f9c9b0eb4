"""A training: forward, backward and step, with a validation after every epoch."""

import time

from . import events, machine, stopping
from .labelled import Accuracy
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
        self.steps = 0

    def go(self):
        run = self.run
        events.init()
        stopping.watch()
        for epoch in range(run.options.epochs):
            try:
                self.epoch(epoch)
            except stopping.Interrupted:
                self.validation_time(epoch)
                raise

    def epoch(self, epoch):
        import torch

        run = self.run
        run.model.train()
        begin = time.perf_counter()
        order = torch.randperm(len(run.train))
        for index, rows in enumerate(order.split(run.options.batch)):
            stopping.check()
            self.step(rows)
            run.synchronize()
            now = time.perf_counter()
            # The shuffle of an epoch belongs to its first step.
            events.iteration(epoch, index, now - begin, len(rows))
            self.steps += 1
            if run.memory_is_due(now):
                machine.memory(run.device)
            begin = time.perf_counter()
        if run.labelled() is not None:
            self.report(epoch, self.validate())

    def step(self, rows):
        self.learn(*self.run.train.batch(rows, self.run.device))

    def learn(self, x, y):
        run = self.run
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

    def validate(self, limit=None):
        self.run.model.eval()
        return Accuracy(self.run, self.run.labelled(), limit)

    def validation_time(self, epoch):
        """How long a validation takes, for a probe that was stopped before its first.

        The accuracy of a network trained for a part of an epoch says nothing,
        so it stays unknown. It is cut off after a few seconds; the rest is
        extrapolated from the batches so far, which are as large.
        """
        if epoch == 0 and self.steps > 0 and self.run.labelled() is not None:
            found = self.validate(limit=3)
            found.complete(self.run.labelled())
            found.value = None
            self.report(epoch, found)

    def report(self, epoch, found):
        events.emit(
            "validation", epoch=epoch, seconds=round(found.seconds, 9), metric="top1", value=found.value,
            higher_is_better=True, units=found.units,
        )
