"""Lightning's Trainer up to max_steps: two batches a step, a validation every 20 batches, a checkpoint every 10 steps."""

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
torch.set_num_threads(1)
lightning.seed_everything(8, verbose=False)


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_acc", (self(x).argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)


class Data(lightning.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.randn(320, 16), torch.randint(0, 4, (320,))), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.randn(32, 16), torch.randint(0, 4, (32,))), batch_size=16)


net = Classifier()
with tempfile.TemporaryDirectory() as folder:
    trainer = lightning.Trainer(
        max_steps=50, accumulate_grad_batches=2, val_check_interval=20, num_sanity_val_steps=0, accelerator="cpu", devices=1, logger=False,
        enable_progress_bar=False, enable_model_summary=False, callbacks=[ModelCheckpoint(folder, every_n_train_steps=10, save_top_k=-1)],
    )
    trainer.fit(net, datamodule=Data())
print("trained for %d steps" % trainer.global_step)
print("predicted %d batches" % len(trainer.predict(net, DataLoader(torch.randn(24, 16), batch_size=8))))
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters())).hexdigest()[:16])
