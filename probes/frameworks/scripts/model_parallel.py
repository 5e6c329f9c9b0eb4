"""Training over two processes that share the network out, by its tensors or its stages, with gloo."""

import sys

import torch
import torch.distributed as dist
import weights
from torch import nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
EPOCHS, BATCH = 2, 8


def by_tensors(loader):
    """Both ranks work on each batch."""
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    parallelize_module(model, dist.init_device_mesh("cpu", (2,)), plan)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, foreach=False)
    for epoch in range(EPOCHS):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    return nn.ParameterList([p.full_tensor() for p in model.parameters()])


def by_stages(loader):
    """The first rank is given the inputs, the last the targets."""
    rank = dist.get_rank()
    layers = [nn.Sequential(nn.Linear(8, 32), nn.ReLU()), nn.Linear(32, 1)]
    model = layers[rank]
    stage = PipelineStage(model, rank, len(layers), torch.device("cpu"))
    schedule = ScheduleGPipe(stage, n_microbatches=2, loss_fn=nn.functional.mse_loss)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(EPOCHS):
        for x, y in loader:
            optimizer.zero_grad()
            if rank == 0:
                schedule.step(x)
            else:
                schedule.step(target=y)
            optimizer.step()
    return model


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
    loader = DataLoader(data, batch_size=BATCH)  # all ranks are given the same batches
    model = by_tensors(loader) if sys.argv[1] == "tensors" else by_stages(loader)
    if dist.get_rank() == 0:
        weights.tell(model)
    dist.barrier()  # PyTorch aborts a process whose Gloo thread still holds a tensor as Python ends
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
