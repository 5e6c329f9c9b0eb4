"""Data-parallel training of two processes on the CPU."""

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

torch.set_num_threads(1)


def main():
    epochs = int(sys.argv[1])
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(80, 6), torch.randn(80, 1))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=5, sampler=sampler)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model.module(dataset[:10][0])
    dist.barrier()  # PyTorch aborts a process whose Gloo thread still holds a tensor as Python ends
    dist.destroy_process_group()


main()
