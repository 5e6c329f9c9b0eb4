"""Runs a PyTorch model and reports its times to sweetspot as events.

Works with PyTorch 1.13 and 2.x and needs nothing else. The modules:

    command.py     reads the options, prepares one run and says how it ended
    run.py         what a run needs: the network, its data, the device
    events.py      writes the event lines
    stopping.py    turns signals and the control file into a stop at a step boundary
    loading.py     file.py:factory and package.module:factory -> torch.nn.Module
    files.py       TorchScript, exported programs and ONNX files
    machine.py     what this machine is, and the device to run on
    dataset.py     Fashion-MNIST from its published files, or synthetic input
    labelled.py    the user's labelled set, and the accuracy on one
    precision.py   fp32, tf32, bf16, fp16, int8 as they actually run
    pruning.py     removes whole filters, so that the dense network shrinks
    quantising.py  int8 by the framework's own quantisation
    trained.py     trained weights for the examples, and fine-tuning
    counting.py    parameters and floating point operations
    timing.py      times of steps, on the host and on a CUDA device
    training.py    iterations and validations of a training
    inference.py   iterations of a batch inference
    shares.py      the share of each layer in a forward pass
    selftest.py    what only a GPU can show of the above
    limit.py       the largest batch that fits in memory
"""
