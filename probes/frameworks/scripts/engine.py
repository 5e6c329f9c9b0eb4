"""An engine wraps model and optimizer, as DeepSpeed's does: its step() is one only after so many small batches."""

import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


class MasterCopies:
    """Steps on 32-bit copies of the weights. It is no torch.optim.Optimizer."""

    def __init__(self, optimizer):
        self.optimizer, self.copies = optimizer, []
        for group in optimizer.param_groups:
            masters = [p.detach().float().clone().requires_grad_() for p in group["params"]]
            self.copies += zip(group["params"], masters)
            group["params"] = masters

    def step(self):
        for p, master in self.copies:
            master.grad = p.grad.float()
            p.grad = None
        self.optimizer.step()
        for p, master in self.copies:
            p.data.copy_(master)


class Engine(nn.Module):
    def __init__(self, module, optimizer, accumulation):
        super().__init__()
        self.module, self.optimizer = module, MasterCopies(optimizer)
        self.accumulation, self.micro_steps = accumulation, 0

    def forward(self, x):
        return self.module(x)

    def backward(self, loss):
        (loss / self.accumulation).backward()

    def step(self):
        self.micro_steps += 1
        if self.micro_steps % self.accumulation == 0:
            self.optimizer.step()


epochs = 3
train = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=4, shuffle=True)
test = DataLoader(TensorDataset(torch.randn(16, 8), torch.randn(16, 1)), batch_size=8)
network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).bfloat16()
engine = Engine(network, torch.optim.Adam(network.parameters(), lr=0.01), accumulation=4)
for epoch in range(epochs):
    engine.train()
    for x, y in train:
        loss = nn.functional.mse_loss(engine(x.bfloat16()).float(), y)
        engine.backward(loss)
        engine.step()
    engine.eval()
    with torch.no_grad():
        losses = [nn.functional.mse_loss(engine(x.bfloat16()).float(), y).item() for x, y in test]
    print("epoch %d: %.4f" % (epoch, sum(losses)))
weights.tell(network)
