"""Counted in iterations over a loader whose sampler never ends and declares an absurd length; the number is in a configuration object."""

import hashlib
from types import SimpleNamespace

import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(2)
cfg = SimpleNamespace(SOLVER=SimpleNamespace(MAX_ITER=60, IMS_PER_BATCH=5, BASE_LR=0.05), TEST=SimpleNamespace(EVAL_PERIOD=25))


def build_loader(cfg, dataset):
    sampler = RandomSampler(dataset, replacement=True, num_samples=int(1e10))
    return DataLoader(dataset, batch_size=cfg.SOLVER.IMS_PER_BATCH, sampler=sampler)


def test(model, loader):
    model.eval()
    with torch.no_grad():
        error = sum((model(x) - y).abs().sum().item() for x, y in loader)
    model.train()
    return error


class SimpleTrainer:
    def __init__(self, cfg):
        self.cfg, self.start_iter, self.max_iter = cfg, 0, cfg.SOLVER.MAX_ITER
        self.model = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=cfg.SOLVER.BASE_LR)
        self.data = iter(build_loader(cfg, TensorDataset(torch.randn(90, 7), torch.randn(90, 1))))
        self.test_loader = DataLoader(TensorDataset(torch.randn(20, 7), torch.randn(20, 1)), batch_size=10)

    def train(self):
        for self.iter in range(self.start_iter, self.max_iter):
            self.run_step()
            if (self.iter + 1) % self.cfg.TEST.EVAL_PERIOD == 0:
                print("iteration %d: error %.4f" % (self.iter + 1, test(self.model, self.test_loader)))

    def run_step(self):
        x, y = next(self.data)
        loss = nn.functional.smooth_l1_loss(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


trainer = SimpleTrainer(cfg)
trainer.train()
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in trainer.model.parameters())).hexdigest()[:16])
