"""Two ranks that each train on a part of the data of its own, and average their gradients by hand."""

import torch
import torch.distributed as dist
import weights
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.set_num_threads(1)


def average(model, world):
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(80, 6), torch.randn(80, 1))
    loader = DataLoader(Subset(dataset, range(rank, len(dataset), world)), batch_size=5, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(3):
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            total += loss.item()
            loss.backward()
            average(model, world)
            optimizer.step()
        if rank == 0:
            print("epoch %d: %.6f" % (epoch, total / len(loader)))
    if rank == 0:
        weights.tell(model)
    dist.barrier()  # PyTorch aborts a process whose Gloo thread still holds a tensor as Python ends
    dist.destroy_process_group()


main()
