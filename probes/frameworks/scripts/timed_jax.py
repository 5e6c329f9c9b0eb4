"""JAX alone, which times its steps itself: it waits for the loss of each."""

import functools
import hashlib

import jax
import jax.numpy as jnp
import numpy as np
import steptime

num_steps, batch_size = 240, 64
draw = np.random.default_rng(3)
data = draw.normal(size=(batch_size * 20, 256)).astype("float32")
target = (data[:, :1] > 0).astype("float32")


def loss_fn(params, x, y):
    for w in params[:-1]:
        x = jnp.tanh(x @ w)
    return ((x @ params[-1] - y) ** 2).mean()


@functools.partial(jax.jit, donate_argnums=0)
def update(params, x, y):
    loss, gradients = jax.value_and_grad(loss_fn)(params, x, y)
    return [p - 0.01 * g for p, g in zip(params, gradients)], loss


params = [jnp.asarray(draw.normal(size=s).astype("float32")) * 0.05 for s in ((256, 512), (512, 512), (512, 1))]
steps = steptime.Steps()
for step in range(num_steps):
    at = step % 20 * batch_size
    params, loss = update(params, data[at : at + batch_size], target[at : at + batch_size])
    loss.block_until_ready()
    steps.ended()
steps.tell()
print("loss %.6f" % loss)
print("weights", hashlib.sha256(b"".join(np.asarray(p).tobytes() for p in params)).hexdigest()[:16])
