"""Fully sharded training over two processes with fully_shard, layer by layer, with gloo."""

import os

import torch
import torch.distributed as dist
import weights
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

torch.set_num_threads(1)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    epochs = 2
    dataset = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=4, sampler=sampler)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    mesh = dist.init_device_mesh("cpu", (2,))
    for layer in model:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, foreach=False)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    whole = nn.ParameterList([p.full_tensor() for p in model.parameters()])
    if os.environ["RANK"] == "0":
        weights.tell(whole)
    dist.barrier()  # PyTorch aborts a process whose Gloo thread still holds a tensor as Python ends
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
