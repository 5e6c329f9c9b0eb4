"""Parameters, and floating-point operations where they are cheap to count."""


def parameters(model):
    return sum(p.numel() for p in model.parameters())


def flops(model, sample):
    """Operations of one forward pass of one sample, two per multiplication and addition.

    Counted for convolutions and linear layers, which do nearly all the work of
    the networks made of them; None where another kind of layer has weights.
    """
    import torch
    from torch import nn

    counted = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear)
    cheap = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm, nn.GroupNorm, nn.PReLU)
    layers = [m for m in model.modules() if next(m.parameters(recurse=False), None) is not None]
    if not layers or not all(isinstance(m, counted + cheap) for m in layers):
        return None
    total = 0

    def count(layer, _inputs, output):
        nonlocal total
        total += 2 * layer.weight[0].numel() * output.numel()

    hooks = [m.register_forward_hook(count) for m in layers if isinstance(m, counted)]
    try:
        with torch.no_grad():
            model(sample)
    finally:
        for hook in hooks:
            hook.remove()
    return total
