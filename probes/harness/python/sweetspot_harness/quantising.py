"""int8 by PyTorch's own post-training quantisation, on the CPU."""

import copy
import warnings

import torch
from torch import nn

from . import events
from .loading import Problem, describe

CALIBRATION = 256  # samples

# The framework's kernels, best first: the x86 one chooses between the next two.
_ENGINES = ("x86", "fbgemm", "onednn", "qnnpack")
_DYNAMIC = (nn.Linear, nn.LSTM, nn.GRU)


def quantise(model, batches):
    """Returns the network with int8 layers.

    batches are the inputs that calibrate the ranges of the activations. If the
    network cannot be traced, only the weights of its linear and recurrent layers
    become int8 and activations are quantised dynamically.
    """
    engine = next((e for e in _ENGINES if e in torch.backends.quantized.supported_engines), None)
    if engine is None:
        raise Problem("this PyTorch has no kernels for int8; use another precision")
    torch.backends.quantized.engine = engine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own coming replacement
        try:
            out = _static(copy.deepcopy(model), engine, batches)
        except Exception as err:
            out = _dynamic(model, err)
    if not any(_is_int8(m) for m in out.modules()):
        raise Problem("the model has no layer that PyTorch can quantise to int8; use another precision")
    return out


def _static(model, engine, batches):
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    batches = iter(batches)
    first = next(batches)
    prepared = prepare_fx(model, get_default_qconfig_mapping(engine), (first,))
    with torch.no_grad():
        prepared(first)
        for x in batches:
            prepared(x)
        converted = convert_fx(prepared)
        converted(first)  # a layer may lack a kernel, which shows only now
    return converted


def _dynamic(model, err):
    if not any(isinstance(m, _DYNAMIC) for m in model.modules()):
        raise Problem(
            "the model cannot be quantised with its activations (%s), and has no linear or recurrent layer to be "
            "quantised without"
            % describe(err)
        ) from err
    events.warn(
        "the network cannot be quantised as a whole (%s); only the weights of its linear and recurrent layers are int8"
        % describe(err)
    )
    from torch.ao.quantization import quantize_dynamic

    return quantize_dynamic(model, set(_DYNAMIC), dtype=torch.qint8)


def _is_int8(module):
    where = type(module).__module__
    return "quantized" in where and not where.endswith((".functional_modules", ".modules"))
