"""Two ranks that torch.multiprocessing starts, with DistributedDataParallel; the first validates after every epoch, the last one, too.

python3 spawned.py spawn|fork
"""

import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import weights
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

WORLD, EPOCHS = 2, 3


class Trainer:
    def __init__(self, rank, total_epochs):
        torch.manual_seed(0)
        self.rank, self.total_epochs = rank, total_epochs
        data = TensorDataset(torch.randn(96, 10), torch.randint(0, 2, (96,)))
        self.train_data = DataLoader(data, batch_size=6, sampler=DistributedSampler(data, WORLD, rank))
        self.test_data = DataLoader(TensorDataset(torch.randn(20, 10)), batch_size=10)
        self.model = DistributedDataParallel(nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2)))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def train(self):
        for epoch in range(self.total_epochs):
            self.train_data.sampler.set_epoch(epoch)
            self.model.train()
            for x, y in self.train_data:
                self.optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(x), y).backward()
                self.optimizer.step()
            if self.rank == 0:
                self.validate(epoch)

    @torch.no_grad()
    def validate(self, epoch):
        self.model.eval()
        ones = sum(self.model.module(x).argmax(1).sum().item() for (x,) in self.test_data)
        print("epoch %d: %d ones" % (epoch, ones), flush=True)


def main(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meeting"), rank=rank, world_size=WORLD)
    trainer = Trainer(rank, EPOCHS)
    trainer.train()
    if rank == 0:
        weights.tell(trainer.model)
    dist.barrier()  # PyTorch aborts a process whose Gloo thread still holds a tensor as Python ends
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        mp.start_processes(main, args=(where,), nprocs=WORLD, start_method=sys.argv[1])
