"""Two optimizers that step together in a function, and are no more at its end."""

import torch
import weights

torch.set_num_threads(1)
torch.manual_seed(0)


def train(encoder, decoder, n_iters):
    first = torch.optim.SGD(encoder.parameters(), lr=0.01)
    second = torch.optim.SGD(decoder.parameters(), lr=0.01)
    for iter in range(1, n_iters + 1):
        first.zero_grad()
        second.zero_grad()
        decoder(torch.relu(encoder(torch.randn(6, 4)))).pow(2).mean().backward()
        first.step()
        second.step()


encoder, decoder = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
train(encoder, decoder, 40)
weights.tell(encoder, decoder)
