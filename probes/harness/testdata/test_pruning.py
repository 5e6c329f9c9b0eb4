"""Pruned networks compute what the dense ones with zeroed filters do."""

import copy
import math
import unittest

import fashion_cnn
import torch
from sweetspot_harness import pruning
from sweetspot_harness.loading import Problem
from torch import nn
from torch.nn import functional as F


class Functional(nn.Module):
    """Layers called from a forward pass written by hand, without normalisation."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 10, 3), nn.Conv2d(10, 12, 3, bias=False)
        self.fc1, self.fc2 = nn.Linear(12 * 4 * 4, 16), nn.Linear(16, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.a(x)), 2)
        x = torch.relu(self.b(x))
        x = F.adaptive_avg_pool2d(x, 4)
        return self.fc2(F.relu(self.fc1(x.view(x.size(0), -1))))


def vgg():
    def block(i, o):
        return [nn.Conv2d(i, o, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(o, o, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2)]

    head = [nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24 * 4, 20), nn.ReLU(), nn.Dropout(), nn.Linear(20, 7)]
    return nn.Sequential(*block(3, 8), *block(8, 16), *block(16, 24), *head)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + x)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.bn = nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12)
        self.layer1, self.layer2 = Residual(12), Residual(12)
        self.fc = nn.Linear(12, 4)

    def forward(self, x):
        x = self.layer2(self.layer1(F.relu(self.bn(self.stem(x)))))
        return self.fc(x.mean([2, 3]))


def mobile():
    def separable(i, o):
        return [
            nn.Conv2d(i, i, 3, padding=1, groups=i, bias=False), nn.BatchNorm2d(i), nn.ReLU6(),
            nn.Conv2d(i, o, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU6(),
        ]

    stem = [nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.PReLU(8)]
    return nn.Sequential(*stem, *separable(8, 16), *separable(16, 20), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(20, 6))


class Branches(nn.Module):
    """Two branches of one stem that are concatenated, then a last convolution."""

    def __init__(self):
        super().__init__()
        self.stem, self.left, self.right = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 1), nn.Conv2d(8, 8, 1)
        self.last = nn.Conv2d(16, 5, 1)

    def forward(self, x):
        x = F.relu(self.stem(x))
        return self.last(torch.cat([self.left(x), self.right(x)], 1)).mean([2, 3])


class Choosing(nn.Module):
    """A part whose forward pass depends on its input and cannot be traced, around one that can."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(8, 10, 3), nn.ReLU(), nn.Conv2d(10, 6, 3))
        self.own = nn.Conv2d(6, 6, 1)

    def forward(self, x):
        x = self.inner(x)
        return self.own(x) if x.sum() > 0 else x


class Holding(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 12, 3), nn.BatchNorm2d(12), nn.ReLU(), nn.Conv2d(12, 8, 3))
        self.part = Choosing()
        self.fc = nn.Linear(6, 3)

    def forward(self, x):
        return self.fc(self.part(self.stem(x)).mean([2, 3]))


class Named(nn.Module):
    """A reshape that names a size which pruning would change."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.fc = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 10, 3), nn.Linear(10 * 16, 5)

    def forward(self, x):
        return self.fc(F.adaptive_avg_pool2d(self.b(F.relu(self.a(x))), 4).view(-1, 160))


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.fc = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.Linear(8, 5)

    def forward(self, x):
        return self.fc(self.b(self.b(self.a(x))).mean([2, 3]))


def settle(model):
    """Statistics and scales as after a training, none of them 0 or 1."""
    generator = torch.Generator().manual_seed(7)
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            for t in (m.weight, m.bias, m.running_mean):
                t.data.copy_(torch.randn(t.shape, generator=generator))
            m.running_var.copy_(torch.rand(m.running_var.shape, generator=generator) + 0.5)
    return model.eval()


def weakest(conv, fraction):
    norms = [float(f.abs().sum()) for f in conv.weight.detach()]
    order = sorted(range(len(norms)), key=norms.__getitem__)
    return order[: math.floor(fraction * len(norms) + 1e-9)]


def masked(model, groups, fraction):
    """The dense network whose weakest filters are zero, and all that makes something of them."""
    model = copy.deepcopy(model)
    with torch.no_grad():
        for conv, followers in groups:
            rows = weakest(model.get_submodule(conv), fraction)
            for name in [conv] + followers:
                module = model.get_submodule(name)
                module.weight[rows] = 0
                if getattr(module, "bias", None) is not None:
                    module.bias[rows] = 0
    return model


def size(model):
    return sum(p.numel() for p in model.parameters())


class TestPruning(unittest.TestCase):
    def check(self, model, shape, groups, fraction):
        """Prunes, and returns the pruned network, what it lost and what is left whole."""
        model = settle(model)
        dense = masked(model, groups, fraction)
        removed, whole = pruning.prune(model, fraction)
        x = torch.randn((4,) + shape, generator=torch.Generator().manual_seed(3))
        with torch.no_grad():
            difference = (model(x) - dense(x)).abs().max()
        self.assertLess(float(difference), 1e-5)
        self.assertEqual(sorted(removed), sorted(conv for conv, _ in groups))
        return model, removed, whole

    def test_example(self):
        for fraction in (0.1, 0.3, 0.5, 0.99):
            torch.manual_seed(0)
            model, removed, whole = self.check(
                fashion_cnn.fashion_cnn_wide(), (1, 28, 28), [("0", ["1"]), ("4", ["5"])], fraction
            )
            a, b = 32 - math.floor(32 * fraction + 1e-9), 64 - math.floor(64 * fraction + 1e-9)
            want = a * 9 + a + 2 * a + b * a * 9 + b + 2 * b + b * 49 * 128 + 128 + 1290
            self.assertEqual(size(model), want)
            self.assertEqual(whole, {})
            self.assertAlmostEqual(removed["0"], 1 - a / 32)
            # It still learns: the shapes of gradients are those of the weights.
            model.train()(torch.randn(8, 1, 28, 28)).sum().backward()

    def test_layers(self):
        """One layer alone loses filters as it does among all, and the others none."""
        for fractions in ({"0": 0.5}, {"4": 0.25}, {"0": 0.3, "4": 0.5}):
            torch.manual_seed(0)
            model = settle(fashion_cnn.fashion_cnn_wide())
            dense = model
            for conv, norm in (("0", "1"), ("4", "5")):
                if conv in fractions:
                    dense = masked(dense, [(conv, [norm])], fractions[conv])
            removed, whole = pruning.prune(model, fractions)
            x = torch.randn((4, 1, 28, 28), generator=torch.Generator().manual_seed(3))
            with torch.no_grad():
                self.assertLess(float((model(x) - dense(x)).abs().max()), 1e-5)
            self.assertEqual((sorted(removed), whole), (sorted(fractions), {}))
            for conv, filters in (("0", 32), ("4", 64)):
                left = filters - math.floor(filters * fractions.get(conv, 0) + 1e-9)
                self.assertEqual(model.get_submodule(conv).out_channels, left)

    def test_layers_that_cannot(self):
        residual = nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8), nn.Conv2d(8, 8, 1), nn.Conv2d(8, 2, 1))
        with self.assertRaisesRegex(Problem, "^0 cannot be pruned: .*GroupNorm; there are 2$"):
            pruning.prune(residual, {"0": 0.5})
        with self.assertRaisesRegex(Problem, "no layer a that can be pruned; the network has no layer that can"):
            pruning.prune(nn.Linear(3, 2), {"a": 0.5})
        many = nn.Sequential(*[nn.Conv2d(4, 4, 1) for _ in range(50)])
        with self.assertRaisesRegex(Problem, "38, 39 and 9 more$"):
            pruning.prune(many, {"a": 0.5})

    def test_text(self):
        self.assertEqual(pruning.degree("0.3"), 0.3)
        self.assertEqual(pruning.degree("a.conv1=0.3,b=0.5"), {"a.conv1": 0.3, "b": 0.5})

    def test_vgg(self):
        model, _, whole = self.check(vgg(), (3, 32, 32), [(n, []) for n in ("0", "2", "5", "7", "10", "12")], 0.25)
        a, b, c = 6, 12, 18
        want = sum(o * i * 9 + o for i, o in ((3, a), (a, a), (a, b), (b, b), (b, c), (c, c))) + c * 4 * 20 + 20 + 147
        self.assertEqual((size(model), whole), (want, {}))

    def test_functional(self):
        model, _, whole = self.check(Functional(), (3, 20, 20), [("a", []), ("b", [])], 0.5)
        self.assertEqual((size(model), whole), (5 * 27 + 5 + 6 * 5 * 9 + 6 * 16 * 16 + 16 + 85, {}))

    def test_residual(self):
        groups = [("layer1.conv1", ["layer1.bn1"]), ("layer2.conv1", ["layer2.bn1"])]
        model, _, whole = self.check(ResNet(), (3, 16, 16), groups, 0.5)
        self.assertEqual(sorted(whole), ["layer1.conv2", "layer2.conv2", "stem"])
        self.assertIn("joins others in add", whole["layer1.conv2"])
        self.assertEqual(model.layer1.conv1.out_channels, 6)
        self.assertEqual(model.layer1.conv2.weight.shape, (12, 6, 3, 3))

    def test_depthwise(self):
        groups = [("0", ["1", "3", "4"]), ("6", ["7", "9", "10"]), ("12", ["13"])]
        model = mobile()
        # A PReLU of 0 passes 0 on, so its slopes need no mask.
        model, _, whole = self.check(model, (3, 16, 16), groups, 0.5)
        a, b, c = 4, 8, 10
        want = a * 27 + 3 * a + (a * 9 + 2 * a) + (a * b + 2 * b) + (b * 9 + 2 * b) + (b * c + 2 * c) + c * 6 + 6
        self.assertEqual((size(model), whole), (want, {}))

    def test_branches(self):
        _, _, whole = self.check(Branches(), (3, 12, 12), [("stem", [])], 0.5)
        self.assertEqual(sorted(whole), ["left", "right"])  # the last layer goes without saying

    def test_untraceable_part(self):
        model, _, whole = self.check(Holding(), (3, 16, 16), [("stem.0", ["stem.1"]), ("part.inner.0", [])], 0.5)
        self.assertEqual(sorted(whole), ["part.inner.2", "part.own", "stem.3"])
        self.assertIn("part, a Choosing", whole["stem.3"])
        self.assertIn("part cannot be traced", whole["part.own"])
        self.assertIn("leaves the part", whole["part.inner.2"])
        self.assertEqual(model.part.inner[0].out_channels, 5)

    def test_named_size(self):
        _, _, whole = self.check(Named(), (3, 12, 12), [("a", [])], 0.5)
        self.assertIn("view(-1, 160)", whole["b"])

    def test_shared_layers_stay(self):
        with self.assertRaises(Problem) as caught:
            pruning.prune(Twice(), 0.5)
        self.assertIn("runs more than once", str(caught.exception))
        tied = nn.Sequential(nn.Conv2d(4, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 1))
        tied[2].weight = tied[0].weight
        with self.assertRaisesRegex(Problem, "shared with another layer"):
            pruning.prune(tied, 0.5)
        normed = nn.Sequential(nn.utils.weight_norm(nn.Conv2d(4, 4, 3)), nn.Conv2d(4, 2, 1))
        with self.assertRaisesRegex(Problem, "not an ordinary layer"):
            pruning.prune(normed, 0.5)

    def test_mixing_layers_stop(self):
        for layer, why in ((nn.GroupNorm(2, 8), "GroupNorm"), (nn.Softmax(1), "Softmax"), (nn.Conv2d(8, 8, 1, groups=2), "Conv2d")):
            model = nn.Sequential(nn.Conv2d(3, 8, 3), layer, nn.Conv2d(8, 2, 1))
            before = copy.deepcopy(model.state_dict())
            with self.assertRaisesRegex(Problem, why):
                pruning.prune(model, 0.5)
            for name, value in model.state_dict().items():
                self.assertTrue(torch.equal(value, before[name]))

    def test_nothing_to_prune(self):
        for model in (nn.Linear(3, 2), nn.Sequential(nn.Flatten(), nn.Linear(9, 2)), nn.Conv2d(3, 8, 3)):
            with self.assertRaisesRegex(Problem, "no convolution of this model can be pruned"):
                pruning.prune(model, 0.5)
        with self.assertRaisesRegex(Problem, "too few"):
            pruning.prune(nn.Sequential(nn.Conv2d(3, 3, 1), nn.Conv2d(3, 2, 1)), 0.3)

    def test_norms_are_of_the_whole_network(self):
        """A filter's norm counts the inputs that go away too: no order of layers matters."""
        model = nn.Sequential(nn.Conv2d(1, 2, 1, bias=False), nn.Conv2d(2, 2, 1, bias=False), nn.Conv2d(2, 1, 1, bias=False))
        with torch.no_grad():
            model[0].weight.copy_(torch.tensor([1.0, 9.0]).view(2, 1, 1, 1))
            model[1].weight.copy_(torch.tensor([[8.0, 1.0], [0.0, 2.0]]).view(2, 2, 1, 1))
        pruning.prune(model, 0.5)
        self.assertEqual(model[1].weight.flatten().tolist(), [1.0])

    def test_words(self):
        self.assertEqual(pruning.words({"a": "it adds", "b": "it adds", "c": "odd"}), "not pruned: a, b (it adds); c (odd)")
        self.assertIsNone(pruning.words({}))


if __name__ == "__main__":
    unittest.main()
