"""Lightning's Trainer, which times its steps itself by a callback; a validation after every epoch, no checkpoints."""

import logging
import warnings

import lightning
import steptime
import torch
import weights
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)


class Timing(lightning.Callback):
    def __init__(self):
        self.steps = steptime.Steps()

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.steps.ended()

    def on_validation_start(self, trainer, module):
        self.pause = self.steps.between()
        self.pause.__enter__()

    def on_validation_end(self, trainer, module):
        self.pause.__exit__(None, None, None)


class Regressor(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def loader(size, **options):
    return DataLoader(TensorDataset(torch.randn(size, 1024), torch.randn(size, 1)), batch_size=32, **options)


lightning.seed_everything(4, verbose=False)
net, timing = Regressor(), Timing()
trainer = lightning.Trainer(
    max_epochs=5, num_sanity_val_steps=0, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False, enable_checkpointing=False,
    enable_model_summary=False, callbacks=[timing],
)
trainer.fit(net, loader(1280, shuffle=True), loader(160))
timing.steps.tell()
weights.tell(net)
