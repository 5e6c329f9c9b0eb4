"""The last line of a script's output: a digest of the weights that it ends with."""

import hashlib


def tell(*modules):
    digest = hashlib.sha256()
    for tensor in (p for m in modules for p in m.parameters()):
        digest.update(tensor.detach().float().contiguous().numpy().tobytes())
    print("weights", digest.hexdigest()[:16])
