"""Steps of a program without an optimizer of PyTorch's: it changes the parameters itself.

    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= lr * p.grad

That a step was made shows later, when it asks for the next batch, computes the next
gradients or begins a validation, and the parameters have changed since it last did. So
gradients may be summed over several batches.
"""

import gc
import weakref

SMALL, SOME = 4096, 2  # elements and number of the tensors that are compared


class Gradients:
    """Stands for the optimizer, after the first backward pass."""

    def __init__(self, torch):
        self.torch, self.param_groups, self.state = torch, [], {}
        with_gradients = sorted((t for t in self._leaves() if t.grad is not None), key=lambda t: t.numel())
        # The smallest are biases, which change in every step.
        self._some = [weakref.ref(t) for t in with_gradients[:SOME] if t.numel() <= SMALL]
        self._by_version = False
        self._versions, self._values = self._now()

    def _leaves(self):
        found = [o for o in gc.get_objects() if issubclass(type(o), self.torch.Tensor)]
        return [t for t in found if t.is_leaf and t.requires_grad]

    def look(self):
        self.param_groups = [{"params": self._leaves()}]

    def forget(self):
        """What the program is done with shall not be kept."""
        self.param_groups = []

    def _now(self):
        # A tensor counts its changes, but not those by way of its .data.
        tensors = [ref() for ref in self._some]
        if any(t is None for t in tensors):
            return None, None
        versions = [t._version for t in tensors]
        return versions, None if self._by_version else [t.detach().reshape(-1).tolist() for t in tensors]

    def have_changed(self):
        """Whether the parameters were changed, or replaced by others, since they last had been."""
        versions, values = self._now()
        if versions is not None and versions == self._versions and (self._by_version or values == self._values):
            return False
        self._by_version = self._by_version or versions != self._versions
        self._versions, self._values = versions, values
        return True
