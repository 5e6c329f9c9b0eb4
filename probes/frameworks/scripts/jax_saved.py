"""JAX: a checkpoint of Orbax after every epoch."""

import hashlib
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint

draw = np.random.default_rng(0)
x = draw.normal(size=(96, 6)).astype("float32")
y = np.tanh(x[:, :1]).astype("float32")


@jax.jit
def train_step(weights, x, y):
    def loss(weights):
        return ((jnp.tanh(x @ weights["in"]) @ weights["out"] - y) ** 2).mean()

    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, jax.grad(loss)(weights))


weights = {"in": jnp.ones((6, 8)) * 0.1, "out": jnp.ones((8, 1)) * 0.1}
with tempfile.TemporaryDirectory() as folder:
    saver = orbax.checkpoint.StandardCheckpointer()
    for epoch in range(3):
        for at in range(0, len(x), 16):
            weights = train_step(weights, x[at : at + 16], y[at : at + 16])
        saver.save(os.path.join(folder, "epoch_%d" % epoch), weights)
    saver.wait_until_finished()
print("weights", hashlib.sha256(b"".join(np.asarray(w).tobytes() for w in jax.tree.leaves(weights))).hexdigest()[:16])
