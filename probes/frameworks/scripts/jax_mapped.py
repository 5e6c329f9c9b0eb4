"""JAX's pmap over two devices: each has its half of a batch, a copy of the weights and a key of its own."""

import functools
import hashlib
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import jax.numpy as jnp
import numpy as np

devices, half, steps = 2, 12, 60


def loss(weights, x, y, key):
    kept = jax.random.bernoulli(key, 0.9, x.shape)
    return jnp.mean(((x * kept) @ weights["w"] + weights["b"] - y) ** 2)


@functools.partial(jax.pmap, axis_name="batch")
def train(weights, x, y, key):
    value, gradients = jax.value_and_grad(loss)(weights, x, y, key)
    gradients = jax.lax.pmean(gradients, "batch")
    return jax.tree.map(lambda w, g: w - 0.05 * g, weights, gradients), value


@functools.partial(jax.pmap, axis_name="batch")
def evaluate(weights, x, y):
    return jax.lax.pmean(jnp.mean((x @ weights["w"] + weights["b"] - y) ** 2), "batch")


draw = np.random.RandomState(5)
true = draw.randn(5, 1).astype(np.float32)
weights = {"w": jnp.zeros((devices, 5, 1)), "b": jnp.zeros((devices, 1))}
keys = jax.random.split(jax.random.PRNGKey(0), devices)
held_out = draw.randn(devices, 20, 5).astype(np.float32)
for step in range(steps):
    x = draw.randn(devices, half, 5).astype(np.float32)
    weights, value = train(weights, x, x @ true, keys)
    if step % 12 == 0:
        print("step %d: held out %.5f" % (step, evaluate(weights, held_out, held_out @ true)[0]))
leaves = jax.tree.leaves(weights)
print("weights " + hashlib.sha256(b"".join(np.asarray(leaf[0]).tobytes() for leaf in leaves)).hexdigest()[:16])
