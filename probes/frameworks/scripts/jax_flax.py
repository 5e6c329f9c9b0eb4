"""JAX with Flax and Optax: a module that the jitted step changes in place, metrics, and an evaluation every 25 steps."""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

train_steps, eval_every, batch_size = 100, 25, 24


class Net(nnx.Module):
    def __init__(self, rngs):
        self.conv = nnx.Conv(1, 4, kernel_size=(3, 3), rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.dropout = nnx.Dropout(0.1, rngs=rngs)
        self.out = nnx.Linear(8 * 8 * 4, 3, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.norm(self.conv(x)))
        return self.out(self.dropout(x.reshape(x.shape[0], -1)))


def batches(seed, count):
    draw = np.random.default_rng(seed)
    for _ in range(count):
        labels = draw.integers(0, 3, batch_size)
        images = draw.normal(size=(batch_size, 8, 8, 1)).astype("float32") + labels[:, None, None, None]
        yield {"image": images, "label": labels}


model = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adamw(3e-3), wrt=nnx.Param)
metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average("loss"))


def loss_fn(model, batch):
    logits = model(batch["image"])
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean(), logits


@nnx.jit
def train_step(model, optimizer, metrics, batch):
    (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model, batch)
    metrics.update(loss=loss, logits=logits, labels=batch["label"])
    optimizer.update(model, grads)


@nnx.jit
def eval_step(model, metrics, batch):
    loss, logits = loss_fn(model, batch)
    metrics.update(loss=loss, logits=logits, labels=batch["label"])


for step, batch in enumerate(batches(1, train_steps)):
    model.train()
    train_step(model, optimizer, metrics, batch)
    if (step + 1) % eval_every == 0:
        metrics.reset()
        model.eval()
        for batch in batches(2, 4):
            eval_step(model, metrics, batch)
        print("step %d: accuracy %.3f, loss %.4f" % (step + 1, metrics.compute()["accuracy"], metrics.compute()["loss"]))
        metrics.reset()

leaves = jax.tree.leaves(nnx.state(model, nnx.Param))
print("weights", hashlib.sha256(b"".join(np.asarray(jnp.ravel(leaf)).tobytes() for leaf in leaves)).hexdigest()[:16])
