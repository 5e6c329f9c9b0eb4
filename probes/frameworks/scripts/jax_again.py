"""JAX: two trainings, one after the other, each by a jitted function of its own; the second evaluates."""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np

draw = np.random.default_rng(0)
x = draw.normal(size=(480, 6)).astype("float32")
y = np.tanh(x[:, :1]).astype("float32")


def loss(weights, x, y):
    return ((jnp.tanh(x @ weights["in"]) @ weights["out"] - y) ** 2).mean()


def fresh():
    return {"in": jnp.ones((6, 8)) * 0.1, "out": jnp.ones((8, 1)) * 0.1}


@jax.jit
def train_step(weights, x, y):
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, jax.grad(loss)(weights, x, y))


weights = fresh()
for at in range(0, len(x), 16):
    weights = train_step(weights, x[at : at + 16], y[at : at + 16])
print("first", loss(weights, x, y))


@jax.jit
def train_step(weights, x, y):
    return jax.tree.map(lambda w, g: w - 0.01 * jnp.sign(g), weights, jax.grad(loss)(weights, x, y))


weights = fresh()
for at in range(0, len(x), 16):
    weights = train_step(weights, x[at : at + 16], y[at : at + 16])
print("second", jax.jit(loss)(weights, x[:64], y[:64]))
print("weights", hashlib.sha256(b"".join(np.asarray(w).tobytes() for w in jax.tree.leaves(weights))).hexdigest()[:16])
