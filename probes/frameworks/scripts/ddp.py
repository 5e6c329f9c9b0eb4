"""Data-parallel training over two processes, after the tutorial, with gloo."""

import os

import torch
import torch.distributed as dist
import weights
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

torch.set_num_threads(1)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    total_epochs = 3
    dataset = TensorDataset(torch.randn(80, 6), torch.randn(80, 1))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=5, sampler=sampler)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(total_epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    dist.barrier()  # PyTorch aborts a process whose Gloo thread still holds a tensor as Python ends
    if os.environ["RANK"] == "0":
        weights.tell(model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
