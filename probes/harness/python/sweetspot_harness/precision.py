"""Arithmetic precisions, each set up so that what is recorded is what ran."""

import contextlib

from .loading import Problem


def hold(name):
    """PyTorch runs convolutions in TF32 by default; fp32 means fp32 here.

    These switches also undo fp32_precision, which came with PyTorch 2.9: where that is set,
    what PyTorch itself does with these, as in torch.export, fails.
    """
    import torch

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = name == "tf32"


def computes_bf16(dev):
    """Whether the GPU has bf16 itself: PyTorch also counts one that computes it by way of fp32."""
    import torch

    try:
        return torch.cuda.is_bf16_supported(including_emulation=False)
    except TypeError:  # before PyTorch 2.4
        return bool(torch.version.hip) or torch.cuda.get_device_capability(dev)[0] >= 8


def setup(name, dev):
    """Returns a function that makes the context of a forward pass, and a gradient scaler or None."""
    import torch

    gpu = dev.type == "cuda"
    hold(name)
    if name == "int8" and gpu:
        raise Problem(
            "int8 by PyTorch's quantisation runs on the CPU; set CUDA_VISIBLE_DEVICES= to measure it there, or use "
            "fp16 or bf16 on the GPU"
        )
    if name in ("fp32", "int8"):  # int8 is a matter of the network's layers
        return contextlib.nullcontext, None
    if name == "tf32":
        if not gpu or torch.cuda.get_device_capability(dev)[0] < 8:
            raise Problem("tf32 needs an NVIDIA GPU of the Ampere generation or later; use --precision fp32")
        return contextlib.nullcontext, None
    if name == "bf16":
        if gpu and not computes_bf16(dev):
            raise Problem("this GPU does not support bf16; use --precision fp16 or fp32")
        return lambda: torch.autocast(dev.type, dtype=torch.bfloat16), None
    if name == "fp16":
        if not gpu:
            raise Problem("fp16 needs a GPU; use --precision fp32 or bf16")
        # PyTorch 2.3 moved the scaler and warns about its old place.
        scaler = torch.amp.GradScaler("cuda") if hasattr(torch.amp, "GradScaler") else torch.cuda.amp.GradScaler()
        return lambda: torch.autocast("cuda", dtype=torch.float16), scaler
    raise Problem("precision %s is not one of fp32, tf32, bf16, fp16, int8" % name)
