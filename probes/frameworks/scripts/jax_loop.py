"""JAX alone: one jitted step for parameters and momentum, whose memory it reuses, and a jitted accuracy after every epoch."""

import functools
import hashlib

import jax
import jax.numpy as jnp
import numpy as np

draw = np.random.default_rng(0)
labels = draw.integers(0, 3, 220)
images = draw.normal(size=(220, 64)).astype("float32") + labels[:, None]
train_images, train_labels, test_images, test_labels = images[:180], labels[:180], images[180:], labels[180:]

num_epochs = 4
batch_size = 32


def init_params(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (m, n)) * 0.1, "b": jnp.zeros(n)} for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


def predict(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss_fn(params, x, y):
    log_probabilities = jax.nn.log_softmax(predict(params, x))
    return -jnp.take_along_axis(log_probabilities, y[:, None], axis=1).mean()


params = init_params(jax.random.key(0), [64, 32, 3])
momentum = jax.tree.map(jnp.zeros_like, params)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def train_step(params, momentum, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
    params = jax.tree.map(lambda p, m: p - 0.05 * m, params, momentum)
    return params, momentum, loss


@jax.jit
def accuracy(params, x, y):
    return (predict(params, x).argmax(axis=1) == y).mean()


def batches():
    order = draw.permutation(len(train_images))
    for i in range(0, len(order), batch_size):
        chosen = order[i : i + batch_size]
        yield train_images[chosen], train_labels[chosen]


print("scores of the first image:", jax.jit(predict)(params, train_images[:1]).round(2))
print("untrained, test accuracy %.3f" % accuracy(params, test_images, test_labels))
for epoch in range(num_epochs):
    for x, y in batches():
        params, momentum, loss = train_step(params, momentum, x, y)
    print("epoch %d, loss %.4f, test accuracy %.3f" % (epoch + 1, loss, accuracy(params, test_images, test_labels)))

digest = hashlib.sha256(b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(params)))
print("weights", digest.hexdigest()[:16])
