"""The devices that JAX computes on."""

import sys


def of_jax(found):
    """The fields of a hello about these devices of JAX."""
    gpus = [d for d in found if d.platform in ("gpu", "cuda", "rocm")]
    listed = [
        {"name": d.device_kind, "memory_bytes": memory(d)[1], "uuid": None} for d in sorted(gpus, key=lambda d: d.id)
    ]
    return {"gpus": listed}


def memory(device):
    """(peak, total) bytes of a device's memory, as JAX allots it; None for unknown."""
    try:
        stats = device.memory_stats() or {}
    except Exception:  # not every kind of device has them
        stats = {}
    return stats.get("peak_bytes_in_use"), stats.get("bytes_limit")


def local():
    return list(sys.modules["jax"].local_devices())


def precision(kind, found):
    """The name of a type's precision on these devices of JAX, None for an unknown one."""
    from .facts import PRECISIONS

    name = PRECISIONS.get(str(kind))
    return "tf32" if name == "fp32" and any(_multiplies_in_tf32(d) for d in found) else name


def _multiplies_in_tf32(device):
    """Whether products of 32-bit matrices are computed with fewer bits: JAX's default on NVIDIA GPUs that can."""
    capability = str(getattr(device, "compute_capability", "")).partition(".")[0]
    if device.platform not in ("gpu", "cuda") or not capability.isdigit() or int(capability) < 8:
        return False
    chosen = getattr(sys.modules["jax"].config, "jax_default_matmul_precision", None)
    return chosen is None or str(chosen).lower() in ("default", "fastest", "bfloat16", "tensorfloat32", "high")


def types_of_products(jaxpr):
    """The types of what the matrix products and convolutions of a traced function multiply."""
    found = []
    for equation in jaxpr.eqns:
        if equation.primitive.name in ("dot_general", "conv_general_dilated"):
            found.append(str(equation.invars[0].aval.dtype))
        for value in equation.params.values():
            for part in value if isinstance(value, (tuple, list)) else (value,):
                inner = getattr(part, "jaxpr", part)  # of a closed one
                if hasattr(inner, "eqns"):
                    found += types_of_products(inner)
    return found
