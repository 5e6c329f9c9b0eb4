"""Keras 3 on PyTorch: fit once a round, with a look at single answers in between; or two networks one after the other."""

import hashlib
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers  # noqa: E402

keras.utils.set_random_seed(0)

x = np.random.normal(size=(180, 6)).astype("float32")
y = (x.sum(axis=1) > 0).astype("int64")
x_train, x_val, y_train, y_val = x[:128], x[128:], y[:128], y[128:]


def network(units):
    net = keras.Sequential([keras.Input(shape=(6,)), layers.Dense(units, activation="relu"), layers.Dense(2)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    net.compile(loss=loss, optimizer=keras.optimizers.Adam(1e-2), metrics=["accuracy"])
    return net


large = network(16)
if sys.argv[1] == "rounds":
    rounds = 13
    for step in range(1, rounds):
        large.fit(x_train, y_train, batch_size=16, epochs=1, validation_data=(x_val, y_val), verbose=0)
        for k in range(3):
            print("round", step, "guesses", large.predict(x_val[k : k + 1], verbose=0).argmax())
else:
    large.fit(x_train, y_train, batch_size=16, epochs=4, verbose=0)
    small = network(4)
    targets = large.predict(x_train, verbose=0).argmax(axis=1)
    small.fit(x_train, targets, batch_size=32, epochs=3, verbose=0)
    print("accuracy %.3f" % small.evaluate(x_val, y_val, verbose=0)[1])
digest = hashlib.sha256(b"".join(np.ascontiguousarray(w).tobytes() for w in large.get_weights()))
print("weights", digest.hexdigest()[:16])
