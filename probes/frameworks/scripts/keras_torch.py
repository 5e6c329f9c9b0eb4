"""Keras 3 on PyTorch: batches from a generator, gradients that are added up over two of them, fit called twice."""

import hashlib
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

torch.set_num_threads(1)
keras.utils.set_random_seed(1)


def batches(size, seed):
    draw = np.random.default_rng(seed)
    while True:
        x = draw.normal(size=(size, 20)).astype("float32")
        yield x, x[:, :1] * 2 - x[:, 1:2]


inputs = keras.Input(shape=(20,))
hidden = keras.layers.Dense(16, activation="relu")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
optimizer = keras.optimizers.SGD(0.05, gradient_accumulation_steps=2)
model.compile(optimizer=optimizer, loss="mse")

model.fit(batches(24, 0), steps_per_epoch=10, epochs=2, verbose=0)
history = model.fit(
    batches(24, 1), steps_per_epoch=10, epochs=5, initial_epoch=2, verbose=2,
    validation_data=batches(30, 2), validation_steps=2, validation_freq=[4],
)
print("losses", ["%.4f" % loss for loss in history.history["loss"]])
digest = hashlib.sha256(b"".join(np.ascontiguousarray(w).tobytes() for w in model.get_weights()))
print("weights", digest.hexdigest()[:16])
