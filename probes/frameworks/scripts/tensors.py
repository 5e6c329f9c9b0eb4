"""A network of bare tensors that are replaced in every step: nothing of torch.nn, nothing of torch.optim."""

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)

x, y = torch.randn(64, 10), torch.randn(64, 1)
w1, w2 = torch.randn(10, 20, requires_grad=True), torch.randn(20, 1, requires_grad=True)
for t in range(50):
    loss = (x.mm(w1).clamp(min=0).mm(w2) - y).pow(2).mean()
    loss.backward()
    w1 = (w1 - 0.001 * w1.grad).detach().requires_grad_()
    w2 = (w2 - 0.001 * w2.grad).detach().requires_grad_()
print("%.4f" % loss.item())
weights.tell(nn.ParameterList([w1, w2]))
