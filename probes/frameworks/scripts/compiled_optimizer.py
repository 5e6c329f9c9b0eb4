"""The optimizers' steps are compiled by themselves, after the tutorial on it. One is the script's own."""

import torch
import torch._dynamo.utils
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)


class Signs(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad.sign(), alpha=-group["lr"])


model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizers = [torch.optim.SGD(model[0].parameters(), lr=0.01), Signs(model[2].parameters(), lr=0.001)]


@torch.compile(backend="aot_eager")
def update():
    for optimizer in optimizers:
        optimizer.step()


x, y = torch.randn(32, 8), torch.randn(32, 1)
for step in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    update()
    model.zero_grad()
print("%.4f" % loss.item())
counters = torch._dynamo.utils.counters
print("%d graphs, %d breaks" % (counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())))
weights.tell(model)
