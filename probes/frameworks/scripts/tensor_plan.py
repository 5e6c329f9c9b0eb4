"""Training of a language model whose tensors transformers shares out over two processes as it loads them."""

import warnings

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader
from transformers import LlamaConfig, LlamaForCausalLM

torch.set_num_threads(1)
warnings.simplefilter("ignore")  # the newer version has another name for the plan
EPOCHS, BATCH = 2, 8


def load():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=4
    )
    weights = LlamaForCausalLM(config).state_dict()
    return LlamaForCausalLM.from_pretrained(None, config=config, state_dict=weights, tp_plan="auto")


def main():
    dist.init_process_group("gloo")
    model = load()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, foreach=False)
    for epoch in range(EPOCHS):
        for words in DataLoader(torch.arange(64 * 16).reshape(64, 16) % 64, batch_size=BATCH):
            optimizer.zero_grad()
            loss = model(input_ids=words, labels=words).loss
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        print("loss %.3f" % loss)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
