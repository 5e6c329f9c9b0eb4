"""What only a GPU can show: times, memory and speed as measured here beside those told otherwise.

Prints them as one line of JSON; whether they agree is for the reader to say.
"""

import argparse
import json
import platform
import statistics
import subprocess

from . import machine, precision, timing

ALLOCATED = 1 << 30  # bytes
ROUNDS, WARMUP, PRODUCTS = 5, 10, 5


def main():
    p = argparse.ArgumentParser(prog="sweetspot-selftest")
    p.add_argument("--selftest", action="store_true")
    p.add_argument("--size", type=int, default=8192, help="rows of the matrices that are multiplied")
    p.add_argument("--batch", type=int, default=1024)
    p.add_argument("--width", type=int, default=1024)
    p.add_argument("--steps", type=int, default=40, help="of a round")
    opt = p.parse_args()
    import torch

    dev = machine.device()
    if dev.type != "cuda":
        print(json.dumps({"torch": str(torch.__version__)}))
        return 1
    properties = torch.cuda.get_device_properties(dev)
    found = {
        "torch": str(torch.__version__), "python": platform.python_version(), "name": properties.name,
        "memory_bytes": properties.total_memory, "uuid": str(getattr(properties, "uuid", None) or ""),
    }
    found.update(_memory(torch, dev))
    found.update(_steps(torch, dev, opt))
    found["tflops"] = {name: _product(torch, dev, name, opt.size) for name in _precisions(torch, dev)}
    print(json.dumps(found))
    return 0


def _nvidia_smi(dev):
    """(name, bytes of memory, bytes in use) as nvidia-smi has them, or None."""
    which = machine.in_nvidia_smi(dev)
    if which is None:
        return None
    query = ["nvidia-smi", "-i", which, "--query-gpu=name,memory.total,memory.used", "--format=csv,noheader,nounits"]
    try:
        out = subprocess.run(
            query, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10
        )
        name, total, used = (cell.strip() for cell in out.stdout.decode("utf-8", "replace").strip().split(","))
        return name, float(total) * (1 << 20), float(used) * (1 << 20)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _memory(torch, dev):
    """A block of known size, as PyTorch and nvidia-smi count it."""
    torch.zeros(1, device=dev)  # the context is there
    torch.cuda.synchronize(dev)
    before, held = _nvidia_smi(dev), torch.cuda.memory_allocated(dev)
    block = torch.empty(ALLOCATED, dtype=torch.uint8, device=dev)
    torch.cuda.synchronize(dev)
    after, counted = _nvidia_smi(dev), torch.cuda.memory_allocated(dev) - held
    del block
    found = {"allocated_bytes": ALLOCATED, "counted_bytes": counted}
    if before is not None and after is not None:
        found.update(smi_name=after[0], smi_memory_bytes=after[1], smi_bytes=after[2] - before[2])
    return found


def _steps(torch, dev, opt):
    """Steps of a small training, timed as a probe does it and by one event before and one after them all, in turns."""
    precision.hold("fp32")
    network = torch.nn.Sequential(
        torch.nn.Linear(opt.width, 4 * opt.width), torch.nn.ReLU(), torch.nn.Linear(4 * opt.width, opt.width)
    ).to(dev)
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-3)
    x = torch.randn(opt.batch, opt.width, device=dev)

    def step():
        optimizer.zero_grad(set_to_none=True)
        network(x).square().mean().backward()
        optimizer.step()

    for _ in range(WARMUP):
        step()
    torch.cuda.reset_peak_memory_stats(dev)
    seconds, plain = [], []
    for _ in range(ROUNDS):
        clock = timing.Events(dev, lambda _epoch, _index, s, _units: seconds.append(s))
        clock.begin()
        for index in range(opt.steps):
            step()
            clock.step(0, index, opt.batch)
        clock.end()
        plain.append(_between(torch, dev, step, opt.steps))
    rounds = [statistics.mean(seconds[i : i + opt.steps]) for i in range(0, len(seconds), opt.steps)]
    return {
        "steps_s": seconds, "batch_size": opt.batch, "step_s": statistics.median(rounds),
        "plain_s": statistics.median(plain),
        "peak_bytes": torch.cuda.max_memory_allocated(dev),
    }


def _between(torch, dev, call, times):
    """Seconds of a call, by two events."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize(dev)
    begin.record()
    for _ in range(times):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1000 / times


def _precisions(torch, dev):
    tensor_cores = not torch.version.hip and torch.cuda.get_device_capability(dev)[0] >= 8
    return ["fp32"] + (["tf32"] if tensor_cores else []) + (["bf16"] if precision.computes_bf16(dev) else ["fp16"])


def _product(torch, dev, name, size):
    """TFLOPS of a product of square matrices."""
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(name, torch.float32)
    precision.hold(name)
    a = torch.randn(size, size, device=dev, dtype=kind)
    b = torch.randn(size, size, device=dev, dtype=kind)
    for _ in range(2):
        torch.matmul(a, b)
    seconds = statistics.median(_between(torch, dev, lambda: torch.matmul(a, b), 1) for _ in range(PRODUCTS))
    return 2.0 * size**3 / seconds / 1e12
