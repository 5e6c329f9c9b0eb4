"""Networks of torchvision, timm and transformers, and ONNX files, with the real libraries.

Where one is not installed its tests are skipped, and fail where the matrix of
frameworks says that it is there.
"""

import importlib
import os
import unittest

import bench
import torch
from sweetspot_harness import command, files, inference, libraries, training
from sweetspot_harness.loading import Problem
from torch import nn


def needs(*names):
    """Skips a test whose packages are missing, except where they have to be there."""

    def wrap(test):
        def run(self):
            for name in names:
                try:
                    importlib.import_module(name)
                except ImportError as err:
                    if os.environ.get("SWEETSPOT_FRAMEWORKS"):
                        raise
                    self.skipTest("%s is not installed: %s" % (name, err))
            test(self)

        return run

    return wrap


SMALL = """
import transformers
def bert(): return transformers.BertForSequenceClassification(transformers.BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, vocab_size=50, num_labels=3))
def gpt(): return transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=16, n_layer=1, n_head=2, vocab_size=50))
def vit(): return transformers.ViTForImageClassification(transformers.ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, image_size=32, patch_size=16, num_labels=3))
"""


class TestTorchvision(bench.Case):
    def steps(self, **given):
        self.events.clear()
        run = self.run_of(batch=4, data="synthetic", train_size=8, **given)
        (training.Trainer(run) if run.options.mode == "train" else _Inference(run)).go()
        self.assertEqual(len(self.of("iteration")), 2 if run.options.mode == "train" else 2)
        return run

    @needs("torchvision")
    def test_resnet(self):
        for mode in ("train", "infer"):
            run = self.steps(model="torchvision.models:resnet18", input="3x32x32", mode=mode)
            self.assertEqual((run.classes, run.params, run.network), (1000, 11689512, "ResNet"))
        # The paper's 1.8 billion multiplications at 224 pixels, a product and its sum as two operations.
        run = self.run_of(model="torchvision.models:resnet18", input="3x224x224", batch=2)
        self.assertAlmostEqual(run.work["flops_per_unit"], 2 * 1.814e9, delta=0.01e9)

    @needs("torchvision")
    def test_auxiliary_classifiers_learn(self):
        run = self.steps(model="torchvision.models:googlenet", input="3x64x64", mode="train")
        self.assertGreater(float(run.model.aux1.fc2.weight.grad.abs().sum()), 0)

    @needs("torchvision")
    def test_pruned_by_layer(self):
        run = self.steps(model="torchvision.models:resnet18", input="3x32x32", mode="infer", prune="layer1.0.conv1=0.5,layer4.1.conv1=0.25")
        self.assertEqual((run.model.layer1[0].conv1.out_channels, run.model.layer4[1].conv1.out_channels), (32, 384))
        with self.assertRaisesRegex(Problem, "conv1 cannot be pruned: .*; there are layer1.0.conv1, "):
            self.run_of(model="torchvision.models:resnet18", input="3x32x32", prune="conv1=0.5")
        with self.assertRaisesRegex(Problem, "no layer conv7 that can be pruned; there are layer1.0.conv1, "):
            self.run_of(model="torchvision.models:resnet18", input="3x32x32", prune="conv7=0.5")

    @needs("torchvision")
    def test_precisions(self):
        run = self.steps(model="torchvision.models:resnet18", input="3x32x32", mode="infer", precision="int8")
        self.assertTrue(any("quantized" in type(m).__module__ for m in run.model.modules()))
        run = self.steps(model="torchvision.models:resnet18", input="3x32x32", mode="train", precision="bf16")
        with torch.no_grad():
            self.assertEqual(run.predict(run.sample(2)).dtype, torch.bfloat16)


class TestTimm(bench.Case):
    @needs("timm")
    def test_by_name(self):
        run = self.run_of(model="timm:resnet18", input="", batch=2)
        self.assertEqual((run.shape, run.classes, run.params), ((3, 224, 224), 1000, 11689512))
        run = self.run_of(model="timm:resnet18.a1_in1k", input="3x64x64", batch=2)
        self.assertEqual(run.shape, (3, 64, 64))
        with self.assertRaisesRegex(Problem, r"timm [\d.]+ has no network resnet81 \(it has .*resnet18.*\)"):
            self.run_of(model="timm:resnet81", input="")

    def test_missing(self):
        with bench.mock.patch.dict("sys.modules", {"timm": None}):
            with self.assertRaisesRegex(Problem, "timm:resnet18 needs timm, which this Python .* cannot import"):
                self.run_of(model="timm:resnet18", input="")


class TestTransformers(bench.Case):
    @needs("transformers")
    def test_by_configuration(self):
        bert = libraries.make("transformers", "BertConfig")
        self.assertEqual((type(bert).__name__, libraries.vocabulary(bert), libraries.sample(bert)), ("BertModel", 30522, None))
        classifier = libraries.make("transformers", "DistilBertForSequenceClassification")
        self.assertEqual(type(classifier).__name__, "DistilBertForSequenceClassification")
        for name, says in (
            ("BertConfg", r"no configuration or network BertConfg \(it has .*BertConfig.*\); name"),
            ("AutoModel", "no configuration or network AutoModel"),
            ("BertTokenizer", "no configuration or network BertTokenizer"),
        ):
            with self.assertRaisesRegex(Problem, says):
                libraries.make("transformers", name)

    @needs("transformers")
    def test_what_they_take(self):
        path = self.write("small.py", SMALL)
        for name, given, classes in (("bert", "12", 3), ("gpt", "12", None), ("vit", "", 3)):
            for mode in ("infer", "train"):
                self.events.clear()
                run = self.run_of(model=path + ":" + name, input=given, mode=mode, batch=4, data="synthetic", train_size=8)
                before = [p.detach().clone() for p in run.model.parameters()]
                self.assertEqual(run.classes, classes)
                self.assertGreater(run.work["flops_per_unit"], 0)
                (training.Trainer(run) if mode == "train" else _Inference(run)).go()
                self.assertEqual(len(self.of("iteration")), 2)
                moved = any(not torch.equal(a, b) for a, b in zip(before, run.model.parameters()))
                self.assertEqual(moved, mode == "train")
        with self.assertRaisesRegex(Problem, "length of the sequences is missing; give --input with the number of tokens"):
            self.run_of(model=path + ":bert", input="")

    @needs("transformers")
    def test_precisions(self):
        path = self.write("small.py", SMALL)
        run = self.run_of(model=path + ":bert", input="12", batch=4, precision="int8")
        self.assertIn("only the weights of its linear", self.of("warning")[-1]["message"])
        self.assertEqual(run.predict(run.sample(3)).shape, (3, 3))
        run = self.run_of(model=path + ":bert", input="12", batch=4, precision="bf16")
        self.assertEqual(run.predict(run.sample(3)).dtype, torch.bfloat16)


class _Inference:
    def __init__(self, run):
        run.train.length = 2 * run.options.batch
        self.run = run

    def go(self):
        inference.go(self.run)


class TestONNX(bench.Case):
    def exported(self, fixed):
        net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 26 * 26, 10)).eval()
        path = os.path.join(self.dir, "net.onnx")
        axes = None if fixed else {"x": {0: "n"}}
        torch.onnx.export(net, torch.zeros(8, 1, 28, 28), path, input_names=["x"], dynamic_axes=axes, **_legacy())
        return net, path

    @needs("onnx", "onnxruntime")
    def test_real(self):
        for fixed in (False, True):
            files._session.cache_clear()
            net, path = self.exported(fixed)
            run = self.run_of(model=path, input="", batch=8)
            self.assertEqual((run.shape, run.fixed, run.classes), ((1, 28, 28), 8 if fixed else None, 10))
            x = run.sample(11)
            with torch.no_grad():
                self.assertLess(float((run.predict(x) - net(x)).abs().max()), 1e-4)
            inference.go(run)
        self.assertRegex(self.of("packages")[0]["names"][0], r"^onnxruntime==\d")

    @needs("onnx", "onnxruntime")
    def test_says_which_provider_ran(self):
        _, path = self.exported(False)
        command.probe(bench.options(model=path, input="", batch=8))
        self.assertRegex(self.of("hello")[0]["framework"], r"^onnxruntime [\d.]+ \(CPUExecutionProvider\)$")


def _legacy():
    """The exporter that needs nothing else, where there are two."""
    return {"dynamo": False} if torch.__version__ >= (2, 5) else {}


if __name__ == "__main__":
    unittest.main()
