"""The command: reads the options, sets up one run and says how it ended."""

import argparse
import sys

from . import dataset, events, inference, limit, loading, machine, stopping, training
from .loading import Problem, describe
from .run import Run


def options():
    p = argparse.ArgumentParser(prog="sweetspot-harness")
    p.add_argument("--model", required=True)
    p.add_argument("--name", required=True)
    p.add_argument("--mode", choices=("train", "infer"), required=True)
    p.add_argument("--input", required=True, help='shape of one sample, 3x224x224; "" for the model file\'s own')
    p.add_argument("--batch", type=int, required=True)
    p.add_argument("--epochs", type=int, required=True)
    p.add_argument("--precision", default="fp32")
    p.add_argument("--data", choices=("auto", "fashion-mnist", "synthetic"), default="auto")
    p.add_argument("--data-dir", default=dataset.DIRECTORY)
    p.add_argument("--train-size", type=int, default=0, help="units per epoch of synthetic input")
    p.add_argument("--optimizer", choices=("sgd", "adam"), default="sgd")
    p.add_argument("--rate", type=float, default=0.0)
    p.add_argument("--trained", action="store_true", help="train an example first, or take its weights from the cache")
    p.add_argument(
        "--prune", default="", help="fraction of the filters of each convolution to remove, or conv1=0.3,conv2=0.5"
    )
    p.add_argument("--fine-tune", type=int, default=0, help="epochs of training after pruning")
    p.add_argument("--eval", default="", help="factory of a labelled set")
    p.add_argument("--layers", action="store_true", help="measure the share of each layer")
    p.add_argument("--work-only", action="store_true", help="count the work of a forward pass, and measure nothing")
    p.add_argument(
        "--telemetry", action="store_true", help="read the GPU's sensors, which sweetspot cannot reach from its host"
    )
    p.add_argument("--fit-batch", type=int, default=0, help="find the largest batch up to this instead")
    return p.parse_args()


def probe(opt):
    try:
        import torch  # noqa: F401
    except ImportError as err:
        raise Problem("this Python (%s) has no PyTorch: %s" % (sys.executable, err))
    dev = machine.device()
    framework = None
    if loading.suffix(opt.model) == ".onnx":
        from . import files

        dev, framework = files.onnx_place(opt.model, dev)
    machine.hello(dev, framework)
    stopping.check()
    run = Run(opt, dev)
    run.describe()
    if opt.work_only:
        return
    telemetry = machine.Telemetry(dev) if opt.telemetry else None
    try:
        measure(run)
    finally:
        if telemetry is not None:
            telemetry.close()
        machine.memory(dev)


def measure(run):
    """The run, and what is measured after it has ended or was stopped."""
    if run.options.fit_batch:
        limit.go(run)
        return
    stopped = None
    try:
        if run.options.mode == "train":
            training.Trainer(run).go()
        else:
            inference.go(run)
    except stopping.Interrupted as err:
        stopped = err
    if run.options.layers:
        from . import shares

        shares.report(run)
    if stopped is not None:
        raise stopped


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
