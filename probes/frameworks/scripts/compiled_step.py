"""torch.compile of the whole step, with the optimizer in it. In the end it says what was compiled."""

import torch
import torch._dynamo.utils
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=torch.tensor(0.01))
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=5)


@torch.compile(backend="aot_eager")
def train_step(x, y):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


x, y = torch.randn(32, 8), torch.randn(32, 1)
for step in range(40):
    loss = train_step(x, y)
    scheduler.step()
print("%.4f" % loss.item())
counters = torch._dynamo.utils.counters
print("%d graphs, %d breaks" % (counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())))
weights.tell(model)
