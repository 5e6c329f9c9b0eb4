"""Every form a model can be named in, and what is said where it is not one."""

import os
import sys
import types
import unittest
from unittest import mock

import bench
import torch
from sweetspot_harness import counting, files, inference, loading
from sweetspot_harness.loading import Problem
from torch import nn


class TestModules(bench.Case):
    def test_from_the_current_directory(self):
        self.write("pack/__init__.py", "")
        self.write("pack/inner/__init__.py", "")
        self.write("pack/inner/nets.py", "from torch import nn\ndef net(): return nn.Linear(4, 3)\n")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        self.assertEqual(loading.load("pack.inner.nets:net", bench.CPU).out_features, 3)
        for name, says in (
            ("pack.missing:net", "there is no module pack.missing in "),
            ("nosuchpackage.sub:net", "there is no module nosuchpackage in "),
            ("pack.inner.nets:other", "there is no function other in pack.inner.nets; it has net"),
        ):
            with self.assertRaises(Problem) as caught:
                loading.load(name, bench.CPU)
            self.assertIn(says, str(caught.exception))

    def test_broken_module(self):
        self.write("broken_one.py", "import a_module_that_is_not_there\n")
        sys.path.insert(0, self.dir)
        with self.assertRaisesRegex(Problem, "no module a_module_that_is_not_there|cannot be loaded"):
            loading.load("broken_one:net", bench.CPU)

    def test_one_file_is_loaded_once(self):
        path = self.write("both.py", "from torch import nn\ncalls = []\ndef net():\n    calls.append(1)\n    return nn.Linear(2, 2)\ndef data(): return calls\n")
        loading.load(path + ":net", bench.CPU)
        self.assertEqual(loading.made(path + ":data")[0], [1])


class TestFiles(bench.Case):
    def scripted(self, path):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 676, 10)).eval()
        torch.jit.script(net).save(path)
        return net

    def test_torchscript(self):
        path = os.path.join(self.dir, "net.pt")
        net = self.scripted(path)
        run = self.run_of(model=path)
        x = run.sample(3)
        with torch.no_grad():
            self.assertLess(float((run.model(x) - net(x)).abs().max()), 1e-6)
        self.assertEqual((run.params, run.classes), (sum(p.numel() for p in net.parameters()), 10))
        self.assertEqual(run.work, counting.work(net, torch.zeros((1,) + run.shape)).facts())
        self.assertGreater(run.work["flops_per_unit"], 2 * run.params)
        trained = self.run_of(model=path, mode="train", precision="bf16")
        self.assertEqual(trained.params, run.params)

    def test_not_torchscript(self):
        state = os.path.join(self.dir, "state.pt")
        torch.save(nn.Linear(2, 2).state_dict(), state)
        with self.assertRaisesRegex(Problem, "holds weights or a pickled network, not TorchScript; write a factory"):
            loading.load(state, bench.CPU)
        whole = os.path.join(self.dir, "whole.pt")
        torch.save(nn.Linear(2, 2), whole)
        with self.assertRaisesRegex(Problem, "write a factory"):
            loading.load(whole, bench.CPU)
        for name, says in ((self.write("junk.pt", "junk" * 100), "junk.pt cannot be loaded"), (self.dir + "/none.pt", "there is no file")):
            with self.assertRaises(Problem) as caught:
                loading.load(name, bench.CPU)
            self.assertIn(says, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_exported(self):
        path = os.path.join(self.dir, "net.pt2")
        net = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).eval()
        if not hasattr(getattr(torch, "export", None), "save"):
            self.write("net.pt2", "any")
            with self.assertRaisesRegex(Problem, r"needs PyTorch 2\.1 or later, this is 1\."):
                loading.load(path, bench.CPU)
            return
        torch.export.save(torch.export.export(net, (torch.zeros(8, 1, 28, 28),)), path)
        run = self.run_of(model=path, input="", batch=8)
        self.assertEqual((run.shape, run.fixed, run.params), ((1, 28, 28), 8, 7850))
        x = run.sample(8)
        self.assertLess(float((run.model(x) - net(x)).abs().max()), 1e-5)


class FakeSession:
    """What the harness uses of onnxruntime's session: an input of a given shape, a flattening network of 10 outputs."""

    shape, kind, fails = ["n", 1, 28, 28], "tensor(float)", False

    def __init__(self, path, providers):
        self.providers = providers[-1:] if self.fails else providers

    def get_providers(self):
        return self.providers

    def get_inputs(self):
        return [types.SimpleNamespace(name="x", shape=self.shape, type=self.kind)]

    def run(self, _outputs, feed):
        (x,) = feed.values()
        if isinstance(self.shape[0], int) and x.shape[0] != self.shape[0]:
            raise RuntimeError("Got invalid dimensions")
        return [x.reshape(len(x), -1)[:, :10]]


class TestONNX(bench.Case):
    def runtime(self, **shape):
        fake = types.ModuleType("onnxruntime")
        files._session.cache_clear()
        self.addCleanup(files._session.cache_clear)
        fake.__version__ = "1.0"
        there = shape.pop("there", ["CPUExecutionProvider"])
        fake.InferenceSession = type("Session", (FakeSession,), shape)
        fake.get_available_providers = lambda: there
        patch = mock.patch.dict(sys.modules, {"onnxruntime": fake})
        patch.start()
        self.addCleanup(patch.stop)
        return self.write("net.onnx", "the fake does not read it")

    def test_without_onnxruntime(self):
        path = self.write("net.onnx", "any")
        with mock.patch.dict(sys.modules, {"onnxruntime": None}):
            with self.assertRaisesRegex(Problem, "pip install onnxruntime"):
                loading.load(path, bench.CPU)

    def test_shape_from_the_file(self):
        run = self.run_of(model=self.runtime(), input="")
        self.assertEqual((run.shape, run.fixed, run.classes, run.params), ((1, 28, 28), None, 10, None))
        run.describe()
        self.assertEqual((self.of("model")[0]["precision"], self.of("model")[0]["params"]), ("fp32", None))

    def test_half(self):
        run = self.run_of(model=self.runtime(kind="tensor(float16)"), input="")
        run.describe()
        self.assertEqual(self.of("model")[0]["precision"], "fp16")

    def test_fixed_batch(self):
        path = self.runtime(shape=[8, 1, 28, 28])
        with self.assertRaisesRegex(Problem, "batches of exactly 8; use --batch 8"):
            self.run_of(model=path, input="")
        run = self.run_of(model=path, input="", batch=8)
        x = run.sample(21)
        self.assertTrue(torch.equal(run.predict(x), x.flatten(1)[:, :10]))
        bench.small_dataset(self.dir, test=45)
        run = self.run_of(model=path, input="", batch=8, data_dir=self.dir)
        inference.go(run)
        self.assertEqual((self.of("validation")[0]["units"], len(self.of("iteration"))), (45, 5))

    def test_what_cannot_be_run(self):
        for given, says in (
            (dict(shape=["n", "c", "h", "w"]), "does not state the shape of its input; give --input"),
            (dict(kind="tensor(int64)"), r"takes tensor\(int64\)"),
            (dict(shape=[]), "a single number"),
        ):
            with self.assertRaisesRegex(Problem, says):
                self.run_of(model=self.runtime(**given), input="")

    def test_providers(self):
        path = self.runtime()
        place, framework = files.onnx_place(path, torch.device("cuda", 0))
        self.assertEqual((place, framework), (bench.CPU, "onnxruntime 1.0 (CPUExecutionProvider)"))
        # A provider that is there and whose libraries cannot be loaded falls to the CPU, which is said.
        self.replace(torch.cuda, "is_available", lambda: True)
        path = self.runtime(there=["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"], fails=True)
        self.run_of(model=path, input="")
        self.assertIn("ran the file on the CPU, not on the GPU", self.of("warning")[0]["message"])
        self.assertEqual(self.of("packages")[0]["names"], ["onnxruntime-gpu==1.0"])
        path = self.runtime(there=["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"])
        place, framework = files.onnx_place(path, torch.device("cuda", 0))
        self.assertEqual((place.type, framework), ("cuda", "onnxruntime 1.0 (CUDAExecutionProvider)"))


if __name__ == "__main__":
    unittest.main()
