"""A language model in a LightningModule: bf16 autocast, accumulation, checkpointing, weight decay of the matrices alone."""

import logging
import warnings

import lightning
import torch
import weights
from torch.utils.data import DataLoader
from transformers import LlamaConfig, LlamaForCausalLM

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)
lightning.seed_everything(8, verbose=False)


class LanguageModel(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = LlamaForCausalLM(LlamaConfig(
            vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=48,
        ))
        self.network.gradient_checkpointing_enable()
        self.network.train()

    def training_step(self, batch, batch_idx):
        return self.network(input_ids=batch, labels=batch).loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.network(input_ids=batch, labels=batch).loss)

    def configure_optimizers(self):
        matrices = [p for p in self.parameters() if p.dim() > 1]
        vectors = [p for p in self.parameters() if p.dim() == 1]
        return torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}], lr=1e-3)


train = DataLoader([torch.randint(64, (40,)) for _ in range(96)], batch_size=3, shuffle=True)
val = DataLoader([torch.randint(64, (40,)) for _ in range(12)], batch_size=6)
net = LanguageModel()
trainer = lightning.Trainer(
    max_epochs=2, accelerator="cpu", devices=1, precision="bf16-mixed", accumulate_grad_batches=4, gradient_clip_val=1.0, logger=False,
    enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False, num_sanity_val_steps=0,
)
trainer.fit(net, train, val)
print("trained for %d steps" % trainer.global_step)
weights.tell(net)
