"""Parameters, and what a forward pass of one sample computes."""

from math import prod


def parameters(model):
    return sum(p.numel() for p in model.parameters())


class Work:
    """Operations of convolutions and matrix products, two per multiply-add, their output values, and their layers."""

    def __init__(self):
        self.operations = self.activations = 0
        self.layers = set()
        self.known = True

    def add(self, name, args, out):
        if name in HEAVY:
            self.known = False
        kind = KINDS.get(name)
        if kind is None:
            return
        operations, weight = kind(args, out if hasattr(out, "numel") else out[0])
        self.operations += operations
        self.activations += out.numel() if hasattr(out, "numel") else out[0].numel()
        # A recurrent layer comes back to its weights at every step.
        self.layers.add(len(self.layers) if weight is None else ("weight", weight.data_ptr()))

    def facts(self):
        """Fields of a model event; none where not all of the work was seen."""
        if not self.known or not self.operations:
            return {}
        return {"flops_per_unit": self.operations, "activations_per_unit": self.activations, "layers": len(self.layers)}


def work(model, sample):
    """The Work of a forward pass of one sample, whatever the network is made of: it is seen below Python."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = Work()

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            seen.add(str(function).split(".")[1], args, result)
            return result

    with torch.enable_grad(), Mode():  # without gradients, layers may be fused into what cannot be seen
        model(sample)
    return seen


def _convolution(args, out):
    x, weight, transposed = args[0], args[1], args[6]
    return 2 * (x if transposed else out).numel() * prod(weight.shape[1:]), weight


def _product(args, out):
    return 2 * out.numel() * args[0].shape[-1], args[1]


def _added_product(args, out):
    return 2 * out.numel() * args[1].shape[-1], args[2]


def _batched_product(args, out):
    return 2 * out.numel() * args[0].shape[-1], None


def _added_batched_product(args, out):
    return 2 * out.numel() * args[1].shape[-1], None


def _attention(args, out):
    query, key = args[0], args[1]
    return 2 * prod(query.shape[:-1]) * key.shape[-2] * (query.shape[-1] + out.shape[-1]), None


KINDS = {
    "convolution": _convolution, "mm": _product, "addmm": _added_product, "mv": _product, "bmm": _batched_product,
    "baddbmm": _added_batched_product, "_scaled_dot_product_flash_attention": _attention,
    "_scaled_dot_product_flash_attention_for_cpu": _attention, "_scaled_dot_product_efficient_attention": _attention,
    "_scaled_dot_product_cudnn_attention": _attention,
}

# What is not counted, and is a lot.
HEAVY = {
    "mkldnn_rnn_layer", "_cudnn_rnn", "miopen_rnn", "_trilinear", "_native_multi_head_attention",
    "_transformer_encoder_layer_fwd", "mkldnn_linear", "_cdist_forward", "_fft_r2c", "_fft_c2c", "_int_mm",
    "_scaled_mm",
}
