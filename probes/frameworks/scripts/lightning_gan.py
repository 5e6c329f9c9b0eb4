"""A GAN in Lightning: manual optimisation of two networks, no validation."""

import hashlib
import logging
import warnings

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)
lightning.seed_everything(9, verbose=False)


class GAN(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
        self.discriminator = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def training_step(self, batch, batch_idx):
        (real,) = batch
        first, second = self.optimizers()
        noise = torch.randn(len(real), 4)
        yes, no = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        bce = nn.functional.binary_cross_entropy_with_logits
        self.toggle_optimizer(first)
        self.manual_backward(bce(self.discriminator(self.generator(noise)), yes))
        first.step()
        first.zero_grad()
        self.untoggle_optimizer(first)
        self.toggle_optimizer(second)
        loss = bce(self.discriminator(real), yes) + bce(self.discriminator(self.generator(noise).detach()), no)
        self.manual_backward(loss)
        second.step()
        second.zero_grad()
        self.untoggle_optimizer(second)

    def configure_optimizers(self):
        return [torch.optim.Adam(net.parameters(), lr=2e-4, betas=(0.5, 0.999)) for net in (self.generator, self.discriminator)]


net = GAN()
trainer = lightning.Trainer(
    max_epochs=5, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False
)
trainer.fit(net, DataLoader(TensorDataset(torch.randn(96, 8)), batch_size=12, shuffle=True))
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters())).hexdigest()[:16])
