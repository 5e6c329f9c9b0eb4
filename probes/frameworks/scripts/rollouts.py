"""Each round gathers samples by acting, and trains on them for some epochs, after CleanRL's PPO."""

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)

num_steps, num_envs, update_epochs, minibatch_size, num_iterations = 16, 4, 4, 16, 3
agent = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4)
for iteration in range(1, num_iterations + 1):
    seen = []
    for step in range(num_steps):
        seen.append(torch.randn(num_envs, 4))
        with torch.no_grad():
            agent(seen[-1])
    samples = torch.cat(seen)
    for epoch in range(update_epochs):
        order = torch.randperm(len(samples))
        for start in range(0, len(samples), minibatch_size):
            loss = agent(samples[order[start : start + minibatch_size]]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(iteration, loss.item())
weights.tell(agent)
