"""Describes this machine and reads its GPU's sensors."""

import os
import platform
import socket
import subprocess
import threading

from . import events


def device():
    import torch

    return torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")


def hello(dev, framework=None):
    """Describes the machine; framework is what runs the network, if it is not PyTorch."""
    import torch

    gpus = []
    if dev.type == "cuda":
        # The run is on one device, and only that one is named.
        p = torch.cuda.get_device_properties(dev)
        uuid = getattr(p, "uuid", None)
        gpus = [{"name": p.name, "memory_bytes": p.total_memory, "uuid": str(uuid) if uuid else None}]
    events.emit(
        "hello",
        host=socket.gethostname(),
        python=platform.python_version(),
        framework=framework or "torch " + str(torch.__version__),
        cuda=torch.version.cuda if gpus else None,
        driver=_driver() if gpus else None,
        gpus=gpus,
        cpu=_cpu(),
        cpus=os.cpu_count(),
    )


def _cpu():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or None


def _driver():
    try:
        out = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10,
        )
        lines = out.stdout.decode().split()
        return lines[0] if out.returncode == 0 and lines else None
    except (OSError, subprocess.SubprocessError):
        return None


def memory(dev):
    """Emits the peak use of the GPU's memory. On a CPU there is none to emit."""
    if dev.type != "cuda":
        return
    import torch

    events.emit(
        "memory",
        peak_bytes=torch.cuda.max_memory_allocated(dev),
        reserved_bytes=torch.cuda.max_memory_reserved(dev),
        total_bytes=torch.cuda.get_device_properties(dev).total_memory,
    )


# The messages of CUDA, PyTorch's CPU allocator, C++, onnxruntime, cuBLAS and cuDNN.
_NO_MEMORY = (
    "out of memory", "can't allocate memory", "bad_alloc", "failed to allocate memory", "status_alloc_failed",
    "allocation_failed",
)


def out_of_memory(err):
    import torch

    kind = getattr(torch.cuda, "OutOfMemoryError", None)
    if kind is not None and isinstance(err, kind) or isinstance(err, MemoryError):
        return True
    text = str(err).lower()
    return isinstance(err, RuntimeError) and any(words in text for words in _NO_MEMORY)


class Telemetry:
    """Readings of nvidia-smi once a second, from a thread that only waits for lines."""

    QUERY = "utilization.gpu,memory.used,power.draw,temperature.gpu,clocks_throttle_reasons.active"

    def __init__(self, dev):
        self._process = None
        if dev.type != "cuda":
            return
        which = in_nvidia_smi(dev)
        if which is None:
            return
        try:
            self._process = subprocess.Popen(
                ["nvidia-smi", "-i", which, "--query-gpu=" + self.QUERY, "--format=csv,noheader,nounits", "-l", "1"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )
        except OSError:
            return  # without nvidia-smi there are no readings; nothing else needs them
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for raw in self._process.stdout:
            cells = [c.strip() for c in raw.decode("ascii", "replace").split(",")]
            if len(cells) != 5:
                continue
            use, used, watts, celsius = (_number(c) for c in cells[:4])
            events.emit(
                "telemetry",
                gpu=0,
                utilisation=None if use is None else use / 100,
                memory_bytes=None if used is None else used * 1024 * 1024,
                watts=watts,
                celsius=celsius,
                throttle=_throttle(cells[4]),
            )

    def close(self):
        if self._process is not None:
            self._process.terminate()
            self._process.wait()


def in_nvidia_smi(dev):
    """What nvidia-smi calls the device, or None.

    CUDA numbers the fastest first, nvidia-smi by their place on the bus: unless
    told so, a number of one is none of the other.
    """
    import torch

    uuid = getattr(torch.cuda.get_device_properties(dev), "uuid", None)
    if uuid:
        return "GPU-%s" % uuid
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0].strip() or "0"
    if visible.startswith("GPU-") or os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID":
        return visible
    return visible if torch.cuda.device_count() == 1 and "CUDA_VISIBLE_DEVICES" not in os.environ else None


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return None  # [N/A]


# Bits of the clock event reasons that slow a busy GPU down, in the words of package gpu.
_REASONS = ((0x4, "power limit"), (0x8, "hardware slowdown"), (0x20, "heat"), (0x40, "heat"), (0x80, "power brake"))


def _throttle(cell):
    try:
        bits = int(cell, 16)
    except ValueError:
        return None
    return ", ".join(dict.fromkeys(words for bit, words in _REASONS if bits & bit))
