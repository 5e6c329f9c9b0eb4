"""A training: forward, backward and step, with a validation after every epoch."""

import time

from . import events, libraries, machine, stopping, timing
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
        run.settle()
        self.timer = timing.timer(run)
        events.init()
        stopping.watch()
        for epoch in range(run.options.epochs):
            try:
                self.epoch(epoch)
            except stopping.Interrupted:
                self.validation_time(epoch)
                raise

    def epoch(self, epoch):
        run = self.run
        run.model.train()
        self.timer.begin()
        try:
            self._steps(epoch)
        except stopping.Interrupted:
            self.timer.end()
            raise
        self.timer.end()
        if run.labelled() is not None:
            self.report(epoch, self.validate())

    def _steps(self, epoch):
        import torch

        run = self.run
        # The shuffle of an epoch belongs to its first step.
        order = torch.randperm(len(run.train)).to(run.train.where)
        for index, rows in enumerate(order.split(run.options.batch)):
            stopping.check()
            self.step(rows)
            self.timer.step(epoch, index, len(rows))
            self.steps += 1
            if run.memory_is_due(time.perf_counter()):
                machine.memory(run.device)

    def step(self, rows):
        self.learn(*self.run.batch(self.run.train, rows))

    def learn(self, x, y):
        run = self.run
        self.optimizer.zero_grad(set_to_none=True)
        with run.context():
            loss = libraries.loss(self.loss, run.model(x), x, y)
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
