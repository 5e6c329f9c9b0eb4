"""Its settings are flags of absl, which keeps them where they are no attributes of their own."""

import torch
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_integer("rounds", 3, "over the data")
flags.DEFINE_integer("batch", 8, "samples in a step")


def main(_):
    torch.manual_seed(0)
    x = torch.randn(48, 4)
    data = torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True))
    net = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for current in range(FLAGS.rounds):
        for x, y in torch.utils.data.DataLoader(data, FLAGS.batch, shuffle=True):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
    print([p.detach().reshape(-1).tolist() for p in net.parameters()])


if __name__ == "__main__":
    app.run(main)
