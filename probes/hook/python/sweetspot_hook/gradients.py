"""Steps of a program without an optimizer of PyTorch's: it changes the parameters itself.

    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= lr * p.grad

That a step was made shows later, when it asks for the next batch, computes the next
gradients or begins a validation, and the parameters have changed since it last did. So
gradients may be summed over several batches. Where a pass gives those that are watched no
gradients, the program may have gone on to another network; where it comes back, it trains
several in turns, and the first tells of its steps.
"""

import weakref

from . import objects

SMALL, SOME = 4096, 2  # elements and number of the tensors that are compared


class Gradients:
    """Stands for the optimizer, after the first backward pass."""

    def __init__(self, torch):
        self.torch, self.param_groups, self.state = torch, [], {}
        self._some, self._former, self._marks = [], [], None
        self.in_turns, self.networks = False, 0
        self._choose([t for t in self._leaves() if t.grad is not None])

    def _choose(self, with_gradients):
        # The smallest are biases, which change in every step.
        smallest = sorted(with_gradients, key=lambda t: t.numel())[:SOME]
        self._some = [weakref.ref(t) for t in smallest if t.numel() <= SMALL]
        self._by_version = False
        self._versions, self._values = self._now()

    def before(self):
        """A pass begins."""
        self._marks = [_mark(ref()) for ref in self._some + self._former]

    def missed(self):
        """Whether that pass gave none of the tensors that are compared a gradient."""
        if self._marks is None or self.in_turns:
            return False
        now = [_mark(ref()) for ref in self._some + self._former]
        return bool(self._some) and now[: len(self._some)] == self._marks[: len(self._some)]

    def follow(self):
        """After such a pass: compares those that it gave gradients instead."""
        self.networks += 1
        n, known = len(self._some), [ref() for ref in self._some]
        if any(_mark(ref()) != mark for ref, mark in zip(self._former, self._marks[n:])):
            self.in_turns, self._some = True, self._former
            self._by_version = False
            self._versions, self._values = self._now()
            return
        others = [
            t for t in self._leaves()
            if t.numel() <= SMALL and _has_gradient(t) and all(t is not k for k in known)
        ]
        if others:
            self._former = self._some
            self._choose(others)

    def _leaves(self):
        return [t for t in objects.of(self.torch.Tensor) if t.is_leaf and t.requires_grad]

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


def _mark(tensor):
    """Tells a gradient from the one before it, during one pass."""
    grad = None if tensor is None else tensor.grad
    return None if grad is None else (id(grad), grad._version)


def _has_gradient(tensor):
    """Whether a tensor has one that is not only kept at zero, as that of a network which is trained no longer."""
    grad = tensor.grad
    return grad is not None and not grad.is_sparse and bool(grad.any())
