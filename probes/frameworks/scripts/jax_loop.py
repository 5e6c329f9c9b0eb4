"""JAX with Optax: one jitted step for parameters and the optimizer's state, and a jitted accuracy after every epoch."""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np
import optax

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
    return optax.softmax_cross_entropy_with_integer_labels(predict(params, x), y).mean()


params = init_params(jax.random.key(0), [64, 32, 3])
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)


@jax.jit
def train_step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


@jax.jit
def accuracy(params, x, y):
    return (predict(params, x).argmax(axis=1) == y).mean()


def batches():
    order = draw.permutation(len(train_images))
    for i in range(0, len(order), batch_size):
        chosen = order[i : i + batch_size]
        yield train_images[chosen], train_labels[chosen]


for epoch in range(num_epochs):
    for x, y in batches():
        params, opt_state, loss = train_step(params, opt_state, x, y)
    print("epoch %d, loss %.4f, test accuracy %.3f" % (epoch + 1, loss, accuracy(params, test_images, test_labels)))

digest = hashlib.sha256(b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(params)))
print("weights", digest.hexdigest()[:16])
