"""Each round gathers samples by acting, and trains on them for some epochs: after CleanRL's PPO, and, by frames, a library's.

With replay every fourth sample is followed by a step, once there are enough.
"""

import sys

import torch
import weights
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)

num_steps, num_envs, update_epochs, minibatch_size, num_iterations = 16, 4, 4, 16, 6
agent = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4)


def act(n):
    with torch.no_grad():
        seen = torch.randn(n, 4)
        agent(seen)
    return seen


def train(samples):
    loss = agent(samples).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def learn(samples):
    for epoch in range(update_epochs):
        order = torch.randperm(len(samples))
        for start in range(0, len(samples), minibatch_size):
            loss = train(samples[order[start : start + minibatch_size]])
    return loss


def by_iterations():
    for iteration in range(1, num_iterations + 1):
        print(iteration, learn(torch.cat([act(num_envs) for step in range(num_steps)])))


class Algorithm:
    def __init__(self):
        self.frames = 0

    def gather(self):
        self.frames += num_steps * num_envs
        return torch.cat([act(num_envs) for step in range(num_steps)])

    def learn(self, total_frames):
        while self.frames < total_frames:
            print(self.frames, learn(self.gather()))


def replay():
    buffer = []
    for frame in range(500):
        buffer.append(act(1))
        if len(buffer) > 100 and frame % 4 == 0:
            train(torch.cat(buffer[-minibatch_size:]))


if sys.argv[1] == "iterations":
    by_iterations()
elif sys.argv[1] == "frames":
    Algorithm().learn(num_iterations * num_steps * num_envs - 10)
else:
    replay()
weights.tell(agent)
