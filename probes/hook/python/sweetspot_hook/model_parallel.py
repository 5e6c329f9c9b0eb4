"""Ranks that share a network out, by its tensors or its stages.

They work on one batch, where data-parallel ranks have a batch each.
"""

import functools
import sys

from . import imports

TENSORS = "torch.distributed.tensor.parallel.api"
STAGES = "torch.distributed.pipelining.stage"


class Sharing:
    """Over how many ranks tensors and stages are shared out, as the program asks PyTorch for it."""

    def __init__(self):
        self.tensors = self.stages = 1

    def watch(self, attempt):
        imports.after(TENSORS, lambda: attempt(self._tensors, sys.modules[TENSORS], attempt))
        imports.after(STAGES, lambda: attempt(self._stages, sys.modules[STAGES]._PipelineStageBase, attempt))

    def replicas(self, world, loaded):
        """How many of the ranks, or groups of these, have a batch of their own; loaded as in Facts.tensors."""
        together = max(self.tensors, loaded) * self.stages
        return world if world % together else world // together

    def _tensors(self, api, attempt):
        parallelize = api.parallelize_module

        @functools.wraps(parallelize)
        def parallelize_module(module, device_mesh=None, *args, **kwargs):
            out = parallelize(module, device_mesh, *args, **kwargs)
            attempt(self._parallelized, device_mesh)
            return out

        api.parallelize_module = parallelize_module

    def _stages(self, stage, attempt):
        init = stage.__init__

        @functools.wraps(init)
        def __init__(made, *args, **kwargs):
            init(made, *args, **kwargs)
            attempt(self._staged, made)

        stage.__init__ = __init__

    def _parallelized(self, mesh):
        if mesh is not None:
            self.tensors = max(self.tensors, mesh.size())

    def _staged(self, stage):
        self.stages = max(self.stages, stage.group_size)
