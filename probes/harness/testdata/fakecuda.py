"""A CUDA device that is not there: PyTorch computes on the CPU, and every call about the device is noted.

An event is passed a while after it was recorded, as on a device that is behind the host.
What only a device can show, such as how long anything takes on it, this cannot.
"""

import os
import time
import types

import torch
from torch.overrides import TorchFunctionMode

NAME, MEMORY, UUID = "NVIDIA H100 80GB HBM3", 80 << 30, "12345678-9abc-def0-1234-56789abcdef0"
LAG = 0.02  # seconds that the device is behind

calls = []  # as they came: words
slow = 1.0  # what events take in place of a second
now = 0.0  # seconds that the device has worked
TFLOPS = {torch.float32: 40.0, torch.bfloat16: 500.0, torch.float16: 500.0}  # of a product of matrices
efficiency = float(os.environ.get("FAKECUDA_EFFICIENCY", "1"))
held = 3 << 20  # bytes


class Event:
    count = 0

    def __init__(self, enable_timing=False):
        assert enable_timing, "an event without timing tells no time"
        self.number, self.at = Event.count, None
        Event.count += 1

    def record(self, stream=None):
        self.recorded, self.at = time.perf_counter(), now
        calls.append("record")

    def query(self):
        return time.perf_counter() >= self.recorded + LAG

    def synchronize(self):
        calls.append("wait for an event")
        time.sleep(max(0.0, self.recorded + LAG - time.perf_counter()))

    def elapsed_time(self, end):
        assert self.query() and end.query(), "asked before the device was there"
        return 1000 * slow * (end.at - self.at)


def synchronize(device=None):
    calls.append("synchronize")


def noted(name, value=None):
    def call(*args, **kwargs):
        calls.append(name)
        return value() if callable(value) else value

    return call


def _here(x):
    if isinstance(x, torch.device) and x.type == "cuda" or isinstance(x, str) and x.startswith("cuda"):
        return torch.device("cpu")
    return x


class Here(TorchFunctionMode):
    """Whatever is to be on the device is on the CPU."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.device:
            return func(*args, **(kwargs or {}))
        args, kwargs = tuple(_here(a) for a in args), {k: _here(v) for k, v in (kwargs or {}).items()}
        work(getattr(func, "__name__", ""), args)
        return func(*args, **kwargs)


def tf32():
    return torch.backends.cuda.matmul.allow_tf32


def work(name, args):
    """What a call takes the device: only some take any time, and only one kind of block any memory."""
    global now, held
    if name in ("conv2d", "linear"):
        now += 1e-3
    elif name == "matmul":
        a, b = args
        tflops = 300.0 if a.dtype == torch.float32 and tf32() else TFLOPS[a.dtype]
        now += 2.0 * a.shape[0] * a.shape[1] * b.shape[1] / (1e12 * tflops * efficiency)
    elif name == "empty" and args and args[0] == 1 << 30:
        held += 1 << 30


def install(capability=(9, 0), native_bf16=True):
    cuda = torch.cuda
    properties = types.SimpleNamespace(
        name=NAME, total_memory=MEMORY, uuid=UUID, major=capability[0], minor=capability[1], multi_processor_count=132
    )

    def is_bf16_supported(including_emulation=True):
        return native_bf16 or including_emulation

    replaced = dict(
        is_available=lambda: True, is_initialized=lambda: True, device_count=lambda: 1, current_device=lambda: 0, Event=Event,
        synchronize=synchronize, current_stream=lambda device=None: None, is_current_stream_capturing=lambda: False,
        get_device_properties=lambda device=None: properties, get_device_capability=lambda device=None: capability,
        get_device_name=lambda device=None: NAME, is_bf16_supported=is_bf16_supported,
        max_memory_allocated=lambda device=None: held, max_memory_reserved=lambda device=None: 2 * held,
        memory_allocated=lambda device=None: held, memory_reserved=lambda device=None: 2 * held,
        reset_peak_memory_stats=noted("reset the peak"), empty_cache=noted("empty the cache"),
    )
    for name, value in replaced.items():
        setattr(cuda, name, value)
    torch.version.cuda = "12.4"
    mode = Here()
    mode.__enter__()
    return mode
