"""torch.compile of the model; the last batch of an epoch is smaller. In the end it says what was compiled."""


import torch
import torch._dynamo.utils
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)

epochs = 3
loader = DataLoader(TensorDataset(torch.randn(150, 8), torch.randn(150, 1)), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
compiled = torch.compile(model, backend="aot_eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(epochs):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(compiled(x), y)
        loss.backward()
        optimizer.step()
    print("epoch %d: %.4f" % (epoch, loss.item()))
counters = torch._dynamo.utils.counters
print("%d graphs, %d breaks" % (counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())))
weights.tell(model)
