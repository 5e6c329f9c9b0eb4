"""Keras 3 on JAX: fit with validation data, callbacks and a checkpoint after every epoch, then evaluate and predict."""

import hashlib
import os
import tempfile

os.environ["KERAS_BACKEND"] = "jax"

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers  # noqa: E402

keras.utils.set_random_seed(0)

num_classes = 3
y_train = np.random.randint(0, num_classes, 200)
x_train = np.random.normal(size=(200, 8, 8, 1)).astype("float32") + y_train.reshape(-1, 1, 1, 1)
y_test = np.random.randint(0, num_classes, 50)
x_test = np.random.normal(size=(50, 8, 8, 1)).astype("float32") + y_test.reshape(-1, 1, 1, 1)

model = keras.Sequential([
    keras.Input(shape=(8, 8, 1)),
    layers.Conv2D(4, 3, activation="relu"),
    layers.BatchNormalization(),
    layers.Flatten(),
    layers.Dropout(0.1),
    layers.Dense(num_classes, activation="softmax"),
])
model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.Adam(1e-2), metrics=["accuracy"])

with tempfile.TemporaryDirectory() as folder:
    history = model.fit(
        x_train, y_train, batch_size=32, epochs=4, validation_data=(x_test, y_test), verbose=2,
        callbacks=[
            keras.callbacks.ModelCheckpoint(os.path.join(folder, "best.keras")),
            keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr * 0.9),
        ],
    )
print("losses", ["%.4f" % loss for loss in history.history["loss"]])
loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
print("test accuracy %.3f" % accuracy)
print("first prediction", model.predict(x_test[:5], verbose=0).argmax(axis=1).tolist())
digest = hashlib.sha256(b"".join(np.ascontiguousarray(w).tobytes() for w in model.get_weights()))
print("weights", digest.hexdigest()[:16])
