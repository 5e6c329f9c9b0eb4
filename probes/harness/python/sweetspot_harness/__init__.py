"""Runs a PyTorch model and tells sweetspot, event by event, how long it takes.

Works with PyTorch 1.13 and 2.x and needs nothing else. The rooms:

    command.py    reads the options, sets up one run and says how it ended
    events.py     writes the event lines
    stopping.py   turns signals into a stop at the next step boundary
    loading.py    file.py:factory -> torch.nn.Module
    machine.py    what this machine is, and the device to run on
    dataset.py    Fashion-MNIST from its published files, or synthetic input
    precision.py  fp32, tf32, bf16, fp16 as they are really run
    counting.py   parameters and floating point operations
    training.py   iterations and validations of a training
    inference.py  iterations of a batch inference
"""
