"""int8, accuracy, trained weights, layer shares and the largest batch."""

import math
import os
import resource
import time
import unittest

import bench
import torch
from sweetspot_harness import counting, inference, labelled, limit, quantising, shares, stopping, trained, training
from sweetspot_harness.loading import Problem
from torch import nn

LABELLED = """
import torch
from torch.utils.data import DataLoader, TensorDataset

g = torch.Generator().manual_seed(2)
X, Y = torch.randn(70, 1, 28, 28, generator=g), torch.randint(0, 10, (70,), generator=g)

def dataset(): return TensorDataset(X, Y)
def loader(): return DataLoader(TensorDataset(X, Y), batch_size=32)
def batches(): return [(X[:40], Y[:40]), (X[40:], Y[40:])]
def pair(): return X, Y
def arrays(): return [(x.numpy(), int(y)) for x, y in zip(X, Y)]
def iterator(): return iter(batches())
def empty(): return []
def wide(): return TensorDataset(torch.zeros(5, 3, 28, 28), Y[:5])
def eleven(): return [(X, Y + 1)]
def onehot(): return [(X, torch.eye(10)[Y])]
def single(): return [X, X]
def number(): return 7
"""


class TestAccuracy(bench.Case):
    def test_sets(self):
        path = self.write("sets.py", LABELLED)
        for name in ("dataset", "loader", "batches", "pair", "arrays"):
            self.events.clear()
            run = self.run_of(eval=path + ":" + name)
            module = __import__("sys").modules["sets"]
            with torch.no_grad():
                want = float((run.model(module.X).argmax(1) == module.Y).float().mean())
            inference.go(run)
            (found,) = self.of("validation")
            self.assertEqual((found["units"], found["metric"]), (70, "top1"))
            self.assertAlmostEqual(found["value"], want, msg=name)
            run.describe()
            self.assertEqual(self.of("model")[0]["dataset"], name)

    def test_wrong_sets(self):
        path = self.write("sets.py", LABELLED)
        for name, says in (
            ("iterator", "gone through once"), ("empty", "empty set"), ("wide", "shape 3x28x28"), ("eleven", "from 1 to 10|from 1 to"),
            ("onehot", "one class number for each of"), ("single", "pairs of input and label"), ("number", "gone through once"),
        ):
            with self.assertRaises(Problem, msg=name) as caught:
                inference.go(self.run_of(eval=path + ":" + name))
            self.assertRegex(str(caught.exception), says)
        with self.assertRaisesRegex(Problem, "synthetic input means nothing"):
            self.run_of(eval=path + ":dataset", mode="train")

    def test_accuracy_is_no_part_of_the_start(self):
        path = self.write("slow.py", LABELLED + "\nimport time\ndef slow():\n    class Set(list):\n        def __iter__(self):\n            time.sleep(0.3)\n            return super().__iter__()\n    return Set(batches())\n")
        run = self.run_of(eval=path + ":slow")
        inference.go(run)
        init, whole = self.of("init")[0]["seconds"], __import__("sweetspot_harness").events.since_start()
        self.assertGreater(self.of("validation")[0]["seconds"], 0.29)
        self.assertGreater(whole - init, 0.29)

    def test_untrained_and_cut_off(self):
        bench.small_dataset(self.dir)
        run = self.run_of(data_dir=self.dir)
        inference.go(run)
        self.assertIsNone(self.of("validation")[0]["value"])
        self.assertIn("untrained", self.of("warning")[0]["message"])
        trainer = training.Trainer(self.run_of(data_dir=self.dir, mode="train"))
        trainer.steps, self.events[:] = 1, []
        trainer.validation_time(0)
        self.assertEqual((self.of("validation")[0]["units"], self.of("validation")[0]["value"]), (200, None))
        cut = labelled.Accuracy(run, run.test, limit=0)
        self.assertEqual((cut.units, cut.value), (200, None))


class TestInt8(bench.Case):
    def test_agrees_with_fp32(self):
        bench.small_dataset(self.dir)
        dense = self.run_of(trained=True, data_dir=self.dir)
        int8 = self.run_of(trained=True, data_dir=self.dir, precision="int8")
        self.assertEqual((int8.params, int8.work), (dense.params, dense.work))
        self.assertTrue(any("quantized" in type(m).__module__ for m in int8.model.modules()))
        with torch.no_grad():
            x, _ = dense.test.batch(torch.arange(200), bench.CPU)
            want, got = dense.model(x), int8.model(x)
        self.assertGreater(float((want.argmax(1) == got.argmax(1)).float().mean()), 0.95)
        # Ranges taken from data are far finer than any made up.
        self.assertLess(float((want - got).abs().mean() / want.std()), 0.05)

    def test_dynamic(self):
        path = self.write("choosing.py", """
from torch import nn
class Choosing(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(784, 10)
    def forward(self, x):
        return self.fc(x.flatten(1) if x.mean() < 100 else -x.flatten(1))
class Bare(nn.Module):
    def forward(self, x):
        return x.flatten(1) if x.mean() < 100 else -x.flatten(1)
def bare(): return Bare()
def scale(): return nn.ReLU()
""")
        run = self.run_of(model=path + ":Choosing", precision="int8")
        self.assertIn("only the weights", self.of("warning")[-1]["message"])
        self.assertIn("dynamic", type(run.model.fc).__module__)
        x = run.sample(5)
        self.assertEqual(run.model(x).shape, (5, 10))
        for name in ("bare", "scale"):
            with self.assertRaisesRegex(Problem, "cannot be quantised|no layer that PyTorch can quantise"):
                self.run_of(model=path + ":" + name, precision="int8")

    def test_engine(self):
        self.assertIn(torch.backends.quantized.engine if self.run_of(precision="int8") else None, quantising._ENGINES)


class TestTrained(bench.Case):
    def test_cache(self):
        bench.small_dataset(self.dir)
        cache = os.path.join(self.dir, "cache", "sweetspot")
        first = self.run_of(trained=True, data_dir=self.dir)
        self.assertEqual(len(self.of("log")), 1)
        (kept,) = os.listdir(cache)
        again = self.run_of(trained=True, data_dir=self.dir)
        self.assertEqual(len(self.of("log")), 1)
        for a, b in zip(first.model.state_dict().values(), again.model.state_dict().values()):
            self.assertTrue(torch.equal(a, b))
        inference.go(again)
        # Two epochs of 768 pictures: far above a guess, and not of the untrained network.
        self.assertGreater(self.of("validation")[0]["value"], 0.3)
        with open(os.path.join(cache, kept), "wb") as f:
            f.write(b"junk")
        third = self.run_of(trained=True, data_dir=self.dir)
        self.assertIn("cannot be used", self.of("log")[1])
        for a, b in zip(first.model.state_dict().values(), third.model.state_dict().values()):
            self.assertTrue(torch.equal(a, b))
        self.assertEqual(os.listdir(cache), [kept])

    def test_stopped_training_goes_on(self):
        bench.small_dataset(self.dir)
        whole = self.run_of(trained=True, data_dir=self.dir)
        cache = os.path.join(self.dir, "cache", "sweetspot")
        (kept,) = os.listdir(cache)
        os.unlink(os.path.join(cache, kept))
        # 768 pictures are 6 steps an epoch: it is stopped in the first and the second.
        for stop in (4, 5):
            calls = []

            def check():
                calls.append(1)
                if len(calls) == stop:
                    raise stopping.Interrupted

            with bench.mock.patch.object(stopping, "check", check), self.assertRaises(stopping.Interrupted):
                self.run_of(trained=True, data_dir=self.dir)
            self.assertEqual(os.listdir(cache), [kept + ".begun"])
        self.assertIn("resumes the training", self.of("warning")[0]["message"])
        steps = []
        with bench.mock.patch.object(stopping, "check", lambda: steps.append(1)):
            last = self.run_of(trained=True, data_dir=self.dir)
        self.assertEqual(len(steps), 12 - 3 - 4)
        for a, b in zip(whole.model.state_dict().values(), last.model.state_dict().values()):
            self.assertTrue(torch.equal(a, b))
        self.assertEqual(os.listdir(cache), [kept])
        with open(os.path.join(cache, kept + ".begun"), "wb") as f:
            f.write(b"junk")
        os.unlink(os.path.join(cache, kept))
        again = self.run_of(trained=True, data_dir=self.dir)
        self.assertIn("training from the start", self.of("log")[-1])
        for a, b in zip(whole.model.state_dict().values(), again.model.state_dict().values()):
            self.assertTrue(torch.equal(a, b))

    def test_no_cache(self):
        bench.small_dataset(self.dir)
        self.write("cache", "a file where the directory should be")
        self.run_of(trained=True, data_dir=self.dir)
        self.assertIn("trains again", self.of("warning")[0]["message"])

    def test_fine_tuning_helps(self):
        bench.small_dataset(self.dir)
        values = []
        for epochs in (0, 4):
            self.events.clear()
            inference.go(self.run_of(trained=True, data_dir=self.dir, prune="0.9", fine_tune=epochs))
            values.append(self.of("validation")[0]["value"])
        self.assertGreater(values[1], values[0])
        with self.assertRaisesRegex(Problem, "needs a training set"):
            self.run_of(prune="0.5", fine_tune=1)


class TestPrunedRun(bench.Case):
    def test_event(self):
        run = self.run_of(prune="0.5")
        run.describe()
        event, dense = self.of("model")[0], self.run_of()
        self.assertEqual((event["pruning"], event["params"], event["flops_per_unit"]), (0.5, dense.params, dense.work["flops_per_unit"]))
        a, b = 8, 16
        left = a * 9 + 3 * a + b * a * 9 + 3 * b + b * 49 * 64 + 64 + 650
        self.assertEqual(counting.parameters(run.model), left)
        self.assertGreater(dense.params, left)

    def test_layers(self):
        run = self.run_of(prune="0=0.25,4=0.5")
        run.describe()
        self.assertIsNone(self.of("model")[0]["pruning"])
        self.assertEqual([run.model[i].out_channels for i in (0, 4)], [12, 16])
        self.assertEqual(self.of("warning"), [f for f in self.of("warning") if "synthetic" in f["message"]])
        for prune, says in (
            ("conv9=0.5", "there is no layer conv9 that can be pruned; there are 0, 4$"),
            ("9=0.5", "there is no layer 9 that can be pruned; there are 0, 4$"),
            ("0=0.05", "0 has 16 filters, too few to lose 5 % of them; remove at least 6.3 %"),
        ):
            with self.assertRaisesRegex(Problem, says):
                self.run_of(prune=prune)

    def test_training(self):
        run = self.run_of(prune="0.5", mode="train", train_size=96)
        training.Trainer(run).go()
        self.assertEqual(len(self.of("iteration")), 3)
        self.assertEqual(run.model[0].weight.shape[0], 8)

    def test_bf16(self):
        run = self.run_of(precision="bf16")
        with torch.no_grad():
            self.assertEqual(run.predict(run.sample(2)).dtype, torch.bfloat16)


class TestShares(bench.Case):
    def test_layers(self):
        """All layers are seen, and little else. Each sleeps, so that its share hardly depends on what else the machine does."""
        for given in (dict(), dict(precision="int8"), dict(mode="train")):
            self.events.clear()
            run = self.run_of(**given)
            slow = dict(run.model.named_children())
            for m in slow.values():
                m.register_forward_hook(lambda *_: time.sleep(0.01))
            shares.report(run)
            layers = self.of("layers")[0]["layers"]
            self.assertEqual([x["name"] for x in layers], list(slow))
            self.assertLessEqual(sum(x["share"] for x in layers), 1)
            self.assertGreater(sum(x["share"] for x in layers), 0.5)
            self.assertGreater(min(x["share"] for x in layers), 0)
        self.assertEqual([x["kind"] for x in layers][:4], ["Conv2d", "BatchNorm2d", "ReLU", "MaxPool2d"])

    def test_the_slow_layer_is_seen(self):
        path = self.write("slow_one.py", """
import time
from torch import nn
class Slow(nn.Module):
    def forward(self, x):
        time.sleep(0.05)
        return x
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.slow, self.fast = Slow(), nn.ReLU()
    def forward(self, x):
        return self.fast(self.slow(x))
def net(): return nn.Sequential(nn.Flatten(), Block(), nn.Linear(784, 10))
""")
        shares.report(self.run_of(model=path + ":net"))
        found = {x["name"]: x for x in self.of("layers")[0]["layers"]}
        self.assertEqual(sorted(found), ["0", "1.fast", "1.slow", "2"])  # a block is no layer
        self.assertGreater(found["1.slow"]["share"], 0.5)

    def test_one_layer_and_a_file(self):
        path = self.write("one.py", "from torch import nn\ndef net(): return nn.Conv2d(1, 2, 3)\n")
        shares.report(self.run_of(model=path + ":net"))
        self.assertEqual([x["name"] for x in self.of("layers")[0]["layers"]], ["net"])
        scripted = os.path.join(self.dir, "net.pt")
        torch.jit.script(nn.Sequential(nn.Flatten(), nn.Linear(784, 10))).save(scripted)
        shares.report(self.run_of(model=scripted))
        self.assertIn("cannot be distinguished", self.of("warning")[-1]["message"])


class TestLimit(bench.Case):
    def source(self, most):
        return self.write("bounded.py", """
import torch
from torch import nn
class Bounded(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(784, 10)
    def forward(self, x):
        if len(x) > %d:
            raise RuntimeError("CUDA out of memory. Tried to allocate")
        return self.fc(x.flatten(1))
""" % most) + ":Bounded"

    def find(self, most, **given):
        self.replace(limit, "_bound_memory", lambda dev: None)
        self.events.clear()
        limit.go(self.run_of(model=self.source(most), **given))
        (found,) = self.of("limit")
        return found["batch_size"], found["fails_at"]

    def test_bisection(self):
        for most, given, want in (
            (77, dict(batch=1, fit_batch=1000), (77, 78)),
            (77, dict(batch=128, fit_batch=1000, mode="train"), (77, 78)),
            (64, dict(batch=1, fit_batch=1000), (64, 65)),
            (500, dict(batch=8, fit_batch=300), (300, None)),
            (500, dict(batch=300, fit_batch=300), (300, None)),
            (2, dict(batch=4, fit_batch=8), (2, 3)),
        ):
            for name in list(__import__("sys").modules):
                if name == "bounded":
                    del __import__("sys").modules[name]
            self.assertEqual(self.find(most, **given), want)

    def test_other_failures_are_said(self):
        path = self.write("odd.py", "from torch import nn\nclass Odd(nn.Module):\n    def forward(self, x):\n        if len(x) > 8: raise RuntimeError('odd')\n        return x.flatten(1)\n")
        self.replace(limit, "_bound_memory", lambda dev: None)
        with self.assertRaisesRegex(RuntimeError, "odd"):
            limit.go(self.run_of(model=path + ":Odd", batch=4, fit_batch=64))

    def test_what_onednn_cannot_set_up(self):
        """Where a smaller batch ran, its message without a cause means memory; else it is said."""
        path = self.write("primitive.py", "from torch import nn\nclass Primitive(nn.Module):\n    def forward(self, x):\n        if len(x) > 8: raise RuntimeError('could not create a primitive')\n        return x.flatten(1)\n")
        self.replace(limit, "_bound_memory", lambda dev: None)
        limit.go(self.run_of(model=path + ":Primitive", batch=4, fit_batch=64))
        (found,) = self.of("limit")
        self.assertEqual((found["batch_size"], found["fails_at"]), (8, 9))
        with self.assertRaisesRegex(RuntimeError, "primitive"):
            limit.go(self.run_of(model=path + ":Primitive", batch=16, fit_batch=64))

    def test_crash_at_the_limit(self):
        """A library that crashes where the memory ends takes only the attempt with it."""
        path = self.write("crash.py", "import os, signal\nfrom torch import nn\nclass Crash(nn.Module):\n    def forward(self, x):\n        if len(x) > 8: os.kill(os.getpid(), signal.SIGSEGV)\n        return x.flatten(1)\n")
        self.replace(limit, "_bound_memory", lambda dev: None)
        limit.go(self.run_of(model=path + ":Crash", batch=4, fit_batch=64))
        (found,) = self.of("limit")
        self.assertEqual((found["batch_size"], found["fails_at"]), (8, 9))

    def test_real_memory(self):
        """The address space ends, and with it the batch; not the process."""
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, (soft, hard))
        with open("/proc/self/statm") as f:
            used = int(f.read().split()[0]) * resource.getpagesize()
        path = self.write("large.py", "from torch import nn\ndef net(): return nn.Sequential(nn.Conv2d(1, 64, 3), nn.Flatten(), nn.ReLU())\n")
        run = self.run_of(model=path + ":net", batch=64, fit_batch=1 << 16)
        resource.setrlimit(resource.RLIMIT_AS, (used + (512 << 20), hard))
        limit.go(run)
        (found,) = self.of("limit")
        # One sample's output is 173 KB, twice where the ReLU makes its own.
        self.assertGreater(found["batch_size"], 256)
        self.assertLess(found["batch_size"], 4096)
        self.assertEqual(found["fails_at"], found["batch_size"] + 1)

    def test_bound(self):
        """The bound is what is free, and never above one that is there already."""
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, (soft, hard))
        limit._bound_memory(bench.CPU)
        found = resource.getrlimit(resource.RLIMIT_AS)[0]
        self.assertTrue(0 < found < math.inf and found != resource.RLIM_INFINITY)
        resource.setrlimit(resource.RLIMIT_AS, (found // 2, hard))
        limit._bound_memory(bench.CPU)
        self.assertEqual(resource.getrlimit(resource.RLIMIT_AS)[0], found // 2)


class TestStopping(bench.Case):
    def test_control_file(self):
        path = os.path.join(self.dir, "control")
        with open(path, "wb") as f:
            f.write(bytes(16))
        os.environ["SWEETSPOT_CONTROL"] = path
        self.replace(stopping, "_control", None)
        stopping.check()
        stopping.watch()
        with open(path, "r+b") as f:
            self.assertEqual(f.read(), b"\0\1" + bytes(14))
            stopping.check()
            f.seek(0)
            f.write(b"\1")
        with self.assertRaises(stopping.Interrupted):
            stopping.check()

    def test_without(self):
        for path in ("", os.path.join(self.dir, "missing"), self.write("short", "x")):
            os.environ["SWEETSPOT_CONTROL"] = path
            self.replace(stopping, "_control", None)
            stopping.watch()
            stopping.check()


if __name__ == "__main__":
    unittest.main()
