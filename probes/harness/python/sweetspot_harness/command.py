"""The command: reads the options, sets up one run and says how it ended."""

import argparse
import sys

from . import counting, dataset, events, inference, loading, machine, precision, stopping, training
from .loading import Problem, describe


def options():
    p = argparse.ArgumentParser(prog="sweetspot-harness")
    p.add_argument("--model", required=True)
    p.add_argument("--name", required=True)
    p.add_argument("--mode", choices=("train", "infer"), required=True)
    p.add_argument("--input", required=True, help="shape of one sample, 3x224x224")
    p.add_argument("--batch", type=int, required=True)
    p.add_argument("--epochs", type=int, required=True)
    p.add_argument("--precision", default="fp32")
    p.add_argument("--data", choices=("auto", "fashion-mnist", "synthetic"), default="auto")
    p.add_argument("--data-dir", default=dataset.DIRECTORY)
    p.add_argument("--train-size", type=int, default=0, help="units per epoch of synthetic input")
    p.add_argument("--optimizer", choices=("sgd", "adam"), default="sgd")
    p.add_argument("--rate", type=float, default=0.0)
    return p.parse_args()


class Run:
    """Everything a training or an inference needs."""

    def __init__(self, opt, dev):
        import torch

        self.options, self.device = opt, dev
        self.shape = tuple(int(s) for s in opt.input.split("x"))
        torch.manual_seed(1)
        torch.backends.cudnn.benchmark = True
        self.context, self.scaler = precision.setup(opt.precision, dev)
        self.model = loading.load(opt.model).to(dev)
        self.classes = self.try_out()
        self.classified = self.classes == dataset.CLASSES
        self.train, self.test = self.data()
        self._memory_at = 0.0

    def try_out(self):
        """One forward pass of two samples: the number of classes, or None for another kind of output."""
        import torch

        self.model.eval()
        x = torch.zeros((2,) + self.shape, device=self.device)
        try:
            with torch.no_grad(), self.context():
                out = self.model(x)
        except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as err:
            if machine.out_of_memory(err):
                raise
            raise Problem("the model does not take input of shape %s: %s" % (self.options.input, describe(err)))
        classes = out.shape[1] if isinstance(out, torch.Tensor) and out.dim() == 2 else None
        if classes is None and self.options.mode == "train":
            shape = "x".join(map(str, out.shape)) if isinstance(out, torch.Tensor) else type(out).__name__
            raise Problem(
                "cross-entropy needs an output of batch x classes, but for two samples the model returned %s; use --mode infer, or -- COMMAND for a training of your own" % shape
            )
        return classes

    def data(self):
        opt = self.options
        fits = self.shape == dataset.SHAPE and self.classified
        there = dataset.present(opt.data_dir)
        if opt.data == "fashion-mnist" and not (fits and there):
            why = (
                "its files are not in %s; apt install dataset-fashion-mnist" % opt.data_dir
                if fits
                else "it has 10 classes of 1x28x28, the model %s of %s" % (self.classes, opt.input)
            )
            raise Problem("Fashion-MNIST cannot be used: " + why)
        if opt.data != "synthetic" and fits and there:
            test = dataset.FashionMNIST("t10k", opt.data_dir)
            train = dataset.FashionMNIST("train", opt.data_dir) if opt.mode == "train" else None
            size = len(train if opt.mode == "train" else test)
            if opt.batch > size:
                raise Problem("a batch of %d is more than the %d images of the set" % (opt.batch, size))
            return train, test
        if opt.data == "auto":
            why = "Fashion-MNIST is not installed" if fits else "no dataset here has this shape and number of classes"
            events.warn("the input is synthetic (%s): times are real, there is no accuracy" % why)
        length = opt.train_size or 100 * opt.batch
        return dataset.Synthetic(self.shape, self.classes or 1, length), None

    def describe(self):
        import torch

        opt, data = self.options, self.train if self.train is not None else self.test
        try:
            flops = counting.flops(self.model, torch.zeros((1,) + self.shape, device=self.device))
        except Exception:  # only a count: a model that resists it still runs
            flops = None
        size = None
        if opt.mode == "train":
            size = opt.train_size or None if self.test is None else len(data)
        steps = None if size is None else -(-size // opt.batch)
        events.emit(
            "model", name=opt.name, dataset=data.name, params=counting.parameters(self.model), flops_per_unit=flops,
            unit="image" if len(self.shape) == 3 else "sample", batch_size=opt.batch, train_size=size,
            iterations_per_epoch=steps, precision=opt.precision,
            epochs=opt.epochs if opt.mode == "train" and size is not None else None,
        )

    def synchronize(self):
        if self.device.type == "cuda":
            import torch

            torch.cuda.synchronize(self.device)

    def memory_is_due(self, now):
        """After the first step, then once a second."""
        if self.device.type != "cuda" or now - self._memory_at < 1:
            return False
        self._memory_at = now
        return True


def probe(opt):
    try:
        import torch  # noqa: F401
    except ImportError as err:
        raise Problem("this Python (%s) has no PyTorch: %s" % (sys.executable, err))
    dev = machine.device()
    machine.hello(dev)
    stopping.check()
    run = Run(opt, dev)
    run.describe()
    telemetry = machine.Telemetry(dev)
    try:
        if opt.mode == "train":
            training.Trainer(run).go()
        else:
            inference.go(run)
    finally:
        telemetry.close()
        machine.memory(dev)


def main():
    stopping.install()
    opt = options()
    try:
        probe(opt)
    except (stopping.Interrupted, KeyboardInterrupt):
        events.emit("done", reason="interrupted")
        return 0
    except Problem as err:
        events.emit("error", message=str(err))
        return 1
    except BrokenPipeError:
        return 1  # nobody listens any more
    except Exception as err:
        if "torch" in sys.modules and machine.out_of_memory(err):
            events.emit("error", message="out of memory at batch %d: %s" % (opt.batch, describe(err)))
            events.emit("done", reason="oom")
            return 1
        events.emit("error", message="the model failed: %s" % describe(err))
        raise
    events.emit("done", reason="end")
    return 0
