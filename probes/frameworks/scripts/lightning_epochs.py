"""Lightning's Trainer over epochs: sanity check, validation, the best and the last checkpoint, then a test."""

import argparse
import hashlib
import logging
import tempfile
import warnings

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
parser = argparse.ArgumentParser()
parser.add_argument("--length", type=int, default=4)
parser.add_argument("--limit", type=int)
parser.add_argument("--fits", type=int, default=1)
parser.add_argument("--resume", action="store_true", help="a second fit goes on from the first one's checkpoint")
options = parser.parse_args()
torch.set_num_threads(1)
lightning.seed_everything(7, verbose=False)


class Autoencoder(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 3))
        self.decoder = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 64))

    def loss(self, batch):
        x = batch[0].flatten(1)
        return nn.functional.mse_loss(self.decoder(self.encoder(x)), x)

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), prog_bar=True)

    test_step = validation_step

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)}


train = DataLoader(TensorDataset(torch.randn(120, 1, 8, 8)), batch_size=10, shuffle=True)
val = DataLoader(TensorDataset(torch.randn(40, 1, 8, 8)), batch_size=20)
net = Autoencoder()
with tempfile.TemporaryDirectory() as folder:
    checkpoint = None
    for k in range(2 if options.resume else options.fits):
        trainer = lightning.Trainer(
            max_epochs=options.length * (k + 1 if options.resume else 1), limit_train_batches=options.limit,
            accelerator="cpu", devices=1, logger=False, enable_progress_bar=False, enable_model_summary=False,
            callbacks=[ModelCheckpoint(folder, every_n_epochs=1, save_top_k=-1)],
        )
        trainer.fit(net, train, val, ckpt_path=checkpoint)
        checkpoint = trainer.checkpoint_callback.best_model_path if options.resume else None
    trainer.test(net, val, verbose=False)
print("trained for %d steps" % trainer.global_step)
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters())).hexdigest()[:16])
