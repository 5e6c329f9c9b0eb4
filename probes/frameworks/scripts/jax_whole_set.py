"""Every step takes the whole set, so that an epoch is one, and every tenth is evaluated from the first on, with an average of the weights."""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.RandomState(3)
inputs = rng.randn(48, 6).astype(np.float32)
targets = inputs @ rng.randn(6, 1).astype(np.float32)
held_out = inputs[:16] + 0.1


def loss(weights, x, y):
    return jnp.mean((x @ weights["w"] + weights["b"] - y) ** 2)


@jax.jit
def train(weights, x, y):
    gradients = jax.grad(loss)(weights, x, y)
    return jax.tree.map(lambda w, g: w - 0.05 * g, weights, gradients)


@jax.jit
def averaged(average, weights):
    return jax.tree.map(lambda a, w: 0.9 * a + 0.1 * w, average, weights)


@jax.jit
def evaluate(weights):
    return loss(weights, held_out, targets[:16])


weights = {"w": jnp.zeros((6, 1)), "b": jnp.zeros(1)}
average = weights
for epoch in range(50):
    weights = train(weights, inputs, targets)
    average = averaged(average, weights)
    if epoch % 10 == 0:
        print("epoch %d: held out %.5f" % (epoch, evaluate(average)))
leaves = jax.tree.leaves(weights)
print("weights " + hashlib.sha256(b"".join(np.asarray(leaf).tobytes() for leaf in leaves)).hexdigest()[:16])
