"""JAX with gradients and update in functions of their own; the one that takes gradients evaluates the test set, too."""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np

draw = np.random.default_rng(0)
labels = draw.integers(0, 3, 260)
images = draw.normal(size=(260, 48)).astype("float32") + labels[:, None]
train_set, test_set = (images[:180], labels[:180]), (images[180:], labels[180:])

num_epochs, batch_size = 4, 32


def loss_fn(params, x, y):
    hidden = jax.nn.relu(x @ params["in"])
    scores = jax.nn.log_softmax(hidden @ params["out"])
    return -jnp.take_along_axis(scores, y[:, None], axis=1).mean()


@jax.jit
def differentiate(params, x, y):
    return jax.value_and_grad(loss_fn)(params, x, y)


@jax.jit
def update(params, grads):
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)


keys = jax.random.split(jax.random.key(1))
params = {"in": jax.random.normal(keys[0], (48, 32)) * 0.1, "out": jax.random.normal(keys[1], (32, 3)) * 0.1}
for epoch in range(num_epochs):
    order = draw.permutation(len(train_set[0]))
    for i in range(0, len(order), batch_size):
        chosen = order[i : i + batch_size]
        _, grads = differentiate(params, train_set[0][chosen], train_set[1][chosen])
        params = update(params, grads)
    test_loss, _ = differentiate(params, *test_set)
    print("epoch %d: test loss %.4f" % (epoch, test_loss))

print("weights", hashlib.sha256(b"".join(np.asarray(p).tobytes() for p in jax.tree.leaves(params))).hexdigest()[:16])
