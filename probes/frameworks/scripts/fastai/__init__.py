"""A stand-in with what the hook sees of fastai: an optimizer and a loader that are none of PyTorch's."""
