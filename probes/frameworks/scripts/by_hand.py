"""Gradient descent by hand, after "What is torch.nn really?": neither an optimizer nor a loader."""

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)

bs, epochs, lr = 16, 4, 0.05
x_train, y_train = torch.randn(160, 8), torch.randint(0, 3, (160,))
x_valid, y_valid = torch.randn(40, 8), torch.randint(0, 3, (40,))
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
for epoch in range(epochs):
    model.train()
    for i in range((len(x_train) - 1) // bs + 1):
        xb, yb = x_train[i * bs : i * bs + bs], y_train[i * bs : i * bs + bs]
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= p.grad * lr
            model.zero_grad()
    model.eval()
    with torch.no_grad():
        print("epoch %d: %.4f" % (epoch, nn.functional.cross_entropy(model(x_valid), y_valid).item()))
weights.tell(model)
