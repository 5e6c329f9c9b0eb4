"""Keras 3 on JAX, which times its steps itself by a callback that waits for their losses; no validation."""

import hashlib
import os

os.environ["KERAS_BACKEND"] = "jax"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import steptime  # noqa: E402
from keras import layers  # noqa: E402

keras.utils.set_random_seed(2)


class Timing(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.steps = steptime.Steps()

    def on_train_batch_end(self, batch, logs=None):
        float(logs["loss"])
        self.steps.ended()


draw = np.random.default_rng(2)
x, y = draw.normal(size=(1200, 28, 28, 1)).astype("float32"), draw.integers(0, 10, 1200)
model = keras.Sequential([
    keras.Input(shape=(28, 28, 1)), layers.Conv2D(8, 3, activation="relu"), layers.MaxPooling2D(), layers.Conv2D(16, 3, activation="relu"),
    layers.Flatten(), layers.Dense(10, activation="softmax"),
])
model.compile(loss="sparse_categorical_crossentropy", optimizer="adam")
timing = Timing()
model.fit(x, y, batch_size=40, epochs=5, verbose=0, callbacks=[timing])
timing.steps.tell()
print("weights", hashlib.sha256(b"".join(np.ascontiguousarray(w).tobytes() for w in model.get_weights())).hexdigest()[:16])
