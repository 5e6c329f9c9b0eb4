"""Lightning's Trainer with a callback that trains the head first and all of the network from the second epoch on."""

import hashlib
import logging
import warnings

import lightning
import torch
from lightning.pytorch.callbacks import BaseFinetuning
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)
lightning.seed_everything(5, verbose=False)


class Later(BaseFinetuning):
    def freeze_before_training(self, module):
        self.freeze(module.body)

    def finetune_function(self, module, epoch, optimizer):
        if epoch == 1:
            self.unfreeze_and_add_param_group(module.body, optimizer, lr=0.01)


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 40), nn.ReLU())
        self.head = nn.Linear(40, 4)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self.head(self.body(x)), y)

    def configure_optimizers(self):
        return torch.optim.SGD([p for p in self.parameters() if p.requires_grad], lr=0.05)


train = DataLoader(TensorDataset(torch.randn(80, 20), torch.randint(0, 4, (80,))), batch_size=8, shuffle=True)
net = Classifier()
trainer = lightning.Trainer(
    max_epochs=3, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False, enable_model_summary=False,
    enable_checkpointing=False, callbacks=[Later()],
)
trainer.fit(net, train)
print("trained for %d steps" % trainer.global_step)
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters())).hexdigest()[:16])
