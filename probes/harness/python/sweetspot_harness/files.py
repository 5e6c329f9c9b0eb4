"""Model files that hold a network: TorchScript, exported programs, ONNX."""

import functools
import os
import zipfile

import torch
from torch import nn

from . import events, machine
from .loading import Problem, describe


class Frozen(nn.Module):
    """A forward pass from a file that can only be run.

    sample is the shape of one sample, batch the only batch size it takes,
    params the number of its parameters; None means unknown, or any batch size.
    """

    def __init__(self, run, sample=None, batch=None, params=None, precision=None):
        super().__init__()
        self.run = (run,)  # in a tuple it is no submodule: it has no modes to switch
        self.sample, self.batch, self.params, self.precision = sample, batch, params, precision

    def forward(self, x):
        return self.run[0](x)


def load(path, ending, dev):
    if not os.path.isfile(path):
        raise Problem("there is no file %s" % path)
    try:
        return {".pt": _scripted, ".pt2": _exported, ".onnx": _onnx}[ending](path, dev)
    except (Problem, MemoryError):
        raise
    except Exception as err:
        if machine.out_of_memory(err):
            raise
        raise Problem("%s cannot be loaded: %s" % (path, describe(err))) from err


def _scripted(path, dev):
    try:
        names = zipfile.ZipFile(path).namelist()
    except (OSError, zipfile.BadZipFile):
        names = []
    if names and not any(n.endswith("/constants.pkl") for n in names):
        raise Problem(
            "%s holds weights or a pickled network, not TorchScript; write a factory that makes the network and loads "
            "it, and name it as file.py:factory"
            % path
        )
    return torch.jit.load(path, map_location=dev)


def _exported(path, dev):
    export = getattr(torch, "export", None)
    if not hasattr(export, "load"):
        raise Problem("an exported program (.pt2) needs PyTorch 2.1 or later, this is %s" % torch.__version__)
    program = export.load(path)
    if dev.type == "cuda":
        # Constants in the graph move only with the pass, which came with 2.5.
        move = getattr(getattr(export, "passes", None), "move_to_device_pass", None)
        program = move(program, dev) if move is not None else program
    sample, batch = _traced_shape(program)
    module = program.module().to(dev)
    return Frozen(module, sample, batch, sum(p.numel() for p in module.parameters()))


def _traced_shape(program):
    """Shape of one sample, and the batch size where the export fixed it."""
    inputs = set(program.graph_signature.user_inputs)
    found = [n.meta["val"].shape for n in program.graph.nodes if n.op == "placeholder" and n.name in inputs]
    if len(found) != 1:
        raise Problem("the exported program takes %d inputs; only networks with one input can be run" % len(found))
    return _split(found[0], lambda d: isinstance(d, int))


def _split(shape, is_fixed):
    """Takes the batch dimension, the first, off a shape."""
    shape = list(shape)
    if not shape:
        raise Problem("the input of the model file is a single number, not a batch of samples")
    sample = tuple(shape[1:]) if all(is_fixed(d) for d in shape[1:]) else None
    return sample, shape[0] if is_fixed(shape[0]) else None


# Providers of the GPUs that PyTorch calls cuda, best first. TensorRT and MIGraphX compile for minutes, and may change
# the precision.
_GPU = ("CUDAExecutionProvider", "ROCMExecutionProvider")
_CPU = "CPUExecutionProvider"


def onnx_place(path, dev):
    """Where onnxruntime runs the file: the device, and its version with the provider."""
    try:
        session = _session(path, dev.type == "cuda")
    except Problem:
        raise
    except Exception as err:
        if machine.out_of_memory(err):
            raise
        raise Problem("%s cannot be loaded: %s" % (path, describe(err))) from err
    first = session.get_providers()[0]
    return (torch.device("cpu") if first == _CPU else dev), _named(first)


def _named(provider):
    return "onnxruntime %s (%s)" % (_runtime().__version__, provider)


@functools.lru_cache(maxsize=1)
def _session(path, gpu):
    """A session on the best provider that there is. What one cannot run, or fails to load for, falls to the next."""
    if not os.path.isfile(path):
        raise Problem("there is no file %s" % path)
    runtime = _runtime()
    there = runtime.get_available_providers()
    return runtime.InferenceSession(path, providers=[p for p in _GPU if gpu and p in there] + [_CPU])


def _runtime():
    try:
        import onnxruntime
    except ImportError as err:
        raise Problem(
            "an ONNX file needs onnxruntime, which this Python lacks (%s); pip install onnxruntime, or "
            "onnxruntime-gpu for a GPU" % err
        ) from err
    return onnxruntime


_TYPES = {"tensor(float)": (torch.float32, "fp32"), "tensor(float16)": (torch.float16, "fp16")}


def _onnx(path, dev):
    has_gpu = torch.cuda.is_available()
    session = _session(path, has_gpu)
    first = session.get_providers()[0]
    inputs = session.get_inputs()
    if len(inputs) != 1:
        raise Problem("the ONNX file takes %d inputs; only networks with one input can be run" % len(inputs))
    given = inputs[0]
    if given.type not in _TYPES:
        raise Problem("the ONNX file takes %s; only floating-point input can be generated" % given.type)
    dtype, precision = _TYPES[given.type]
    sample, batch = _split(given.shape, lambda d: isinstance(d, int) and d > 0)
    runtime = _runtime()
    package = "onnxruntime-gpu" if "CUDAExecutionProvider" in runtime.get_available_providers() else "onnxruntime"
    events.emit("packages", names=["%s==%s" % (package, runtime.__version__)])
    if first == _CPU and has_gpu:
        events.warn(
            "%s ran the file on the CPU, not on the GPU: onnxruntime has no provider that works with this GPU "
            "(it has %s); pip install onnxruntime-gpu for the CUDA of this machine"
            % (_named(first), ", ".join(runtime.get_available_providers()))
        )
    if first != _CPU:
        events.warn("each step of an ONNX file on the GPU includes copying its input there and its output back")

    def run(x):
        out = session.run(None, {given.name: x.to(dtype).cpu().numpy()})
        return torch.from_numpy(out[0])

    return Frozen(run, sample, batch, precision=precision)
