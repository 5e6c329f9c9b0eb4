"""The order of events, synchronisations and resets on a CUDA device, with one that is not there."""

import contextlib
import io
import json
import sys
import types
import unittest
from unittest import mock

import fakecuda
import torch
from sweetspot_harness import command, dataset, events, limit, machine, precision, stopping, timing


class Device(unittest.TestCase):
    def setUp(self):
        self.kept = {name: getattr(torch.cuda, name) for name in dir(torch.cuda)}
        self.mode = fakecuda.install()
        del fakecuda.calls[:]

    def tearDown(self):
        self.mode.__exit__(None, None, None)
        for name, value in self.kept.items():
            setattr(torch.cuda, name, value)

    def probe(self, *options):
        """The events of a probe on the device, as a session reads them."""
        out = io.StringIO()
        argv = ["harness", "--model=fashion_cnn.py:fashion_cnn", "--name=net", "--input=1x28x28", "--data=synthetic"]
        import fashion_cnn

        argv[1] = "--model=%s:%s" % (fashion_cnn.__file__, NETWORK)
        with mock.patch.object(events, "_OUT", out), mock.patch.object(sys, "argv", argv + list(options)), mock.patch.object(
            stopping, "install", lambda: None
        ):
            status = command.main()
        found = [json.loads(line) for line in out.getvalue().splitlines()]
        self.assertEqual(status, 0, found)
        return found

    def test_training(self):
        found = self.probe("--mode=train", "--batch=8", "--epochs=2", "--train-size=160", "--precision=bf16")
        steps = [e for e in found if e["event"] == "iteration"]
        self.assertEqual([(e["epoch"], e["index"]) for e in steps], [(e, i) for e in range(2) for i in range(20)])
        self.assertTrue(all(e["seconds"] > 0 for e in steps))
        calls = fakecuda.calls
        first = calls.index("record")
        self.assertIn("reset the peak", calls[:first])
        self.assertLess(calls.index("empty the cache"), calls.index("reset the peak"))
        # Each epoch begins on an idle device, with a mark; then one mark a step, and nobody waits for all of the device.
        self.assertEqual(calls.count("record"), 2 * (1 + 20))
        self.assertEqual(calls[first - 1], "synchronize")
        second = calls.index("synchronize", first)
        self.assertEqual(calls[first:second].count("record"), 21)
        self.assertNotIn("synchronize", calls[second + 1 :])
        waits = [i for i, c in enumerate(calls[first:second]) if c.startswith("wait")]
        self.assertTrue(not waits or waits[0] > timing.AHEAD, calls[first:second])
        hello = next(e for e in found if e["event"] == "hello")
        self.assertEqual(hello["gpus"], [{"name": fakecuda.NAME, "memory_bytes": fakecuda.MEMORY, "uuid": fakecuda.UUID}])
        memory = [e for e in found if e["event"] == "memory"][-1]
        self.assertEqual((memory["peak_bytes"], memory["reserved_bytes"]), (3 << 20, 6 << 20))

    def test_time_is_that_of_the_events(self):
        plain = sum(e["seconds"] for e in self.probe("--mode=infer", "--batch=8", "--epochs=3") if e["event"] == "iteration")
        with mock.patch.object(fakecuda, "slow", 1000.0):
            found = self.probe("--mode=infer", "--batch=8", "--epochs=3")
        slow = sum(e["seconds"] for e in found if e["event"] == "iteration")
        self.assertGreater(slow, 50 * plain)

    def test_limit_has_a_peak_for_each_size(self):
        self.probe("--mode=train", "--batch=1", "--epochs=1", "--fit-batch=8")
        self.assertEqual(fakecuda.calls.count("reset the peak"), 1 + 4)  # at the start; 1, 2, 4, 8

    def test_limit_is_of_the_layout_that_runs(self):
        seen, step = [], limit.Attempt._step

        def watched(attempt, size):
            seen.append(attempt.run.sample(2).is_contiguous(memory_format=torch.channels_last))
            seen.append(all(p.is_contiguous(memory_format=torch.channels_last) for p in attempt.run.model.parameters() if p.dim() == 4))
            step(attempt, size)

        with mock.patch.object(limit.Attempt, "_step", watched):
            self.probe("--mode=train", "--batch=1", "--epochs=1", "--fit-batch=2", "--precision=bf16")
        self.assertTrue(seen and all(seen), seen)

    @unittest.skipUnless(hasattr(torch.amp, "GradScaler"), "before PyTorch 2.3 there is no scaler on the CPU")
    def test_limit_has_the_state_of_an_optimizer_whose_first_steps_are_skipped(self):
        model = torch.nn.Linear(1, 2, bias=False)
        model.weight.data = torch.tensor([[-1.0], [1.0]])
        run = types.SimpleNamespace(
            options=types.SimpleNamespace(mode="train", optimizer="sgd", rate=1e-37), model=model, device=torch.device("cpu"),
            scaler=torch.amp.GradScaler("cpu"), context=contextlib.nullcontext, synchronize=lambda: None,
            sample=lambda count: torch.full((count, 1), 1e35),  # whose gradients overflow until the scale is small
        )
        attempt = limit.Attempt(run)
        made = []
        attempt.trainer.optimizer.register_step_post_hook(lambda *_: made.append(1))
        self.assertTrue(attempt.fits(4))
        self.assertEqual((len(attempt.trainer.optimizer.state), len(made)), (1, 2))

    def test_onnxruntime_has_the_clock_of_the_host(self):
        def clock(model):
            return type(timing.timer(types.SimpleNamespace(
                device=torch.device("cuda", 0), options=types.SimpleNamespace(model=model), model=torch.nn.Linear(1, 1), synchronize=None
            )))

        self.assertEqual([clock(m) for m in ("net.onnx", "net.pt2", "net.py:net")], [timing.Host, timing.Events, timing.Events])

    def test_libraries_out_of_memory(self):
        for words in (
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
            "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
        ):
            self.assertTrue(machine.out_of_memory(RuntimeError(words)), words)
        self.assertFalse(machine.out_of_memory(RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED")))

    def test_bf16_only_where_native(self):
        gpu = types.SimpleNamespace(type="cuda")
        precision.setup("bf16", gpu)
        fakecuda.install(native_bf16=False)
        with self.assertRaisesRegex(precision.Problem, "does not support bf16"):
            precision.setup("bf16", gpu)

        def before_2_4():
            return True

        torch.cuda.is_bf16_supported = before_2_4
        fakecuda_capability = torch.cuda.get_device_capability
        torch.cuda.get_device_capability = lambda device=None: (7, 5)
        with self.assertRaises(precision.Problem):
            precision.setup("bf16", gpu)
        torch.cuda.get_device_capability = fakecuda_capability
        precision.setup("bf16", gpu)

    def test_tf32_as_asked(self):
        gpu = types.SimpleNamespace(type="cuda")
        for name in ("tf32", "fp32", "tf32", "bf16"):
            precision.setup(name, gpu)
            matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
            self.assertEqual([matmul.allow_tf32, cudnn.allow_tf32], [name == "tf32"] * 2)
            with cudnn.flags(enabled=True):  # as PyTorch itself does
                pass
            if hasattr(cudnn, "conv"):  # a script's own choice, from PyTorch 2.9
                matmul.fp32_precision = cudnn.conv.fp32_precision = cudnn.rnn.fp32_precision = "tf32"

    def test_data_is_kept_where_the_steps_are(self):
        data = dataset.Synthetic((3, 4, 4), 10, 1000)
        before = data.batch(torch.arange(8), torch.device("cpu"))
        data.move(torch.device("cuda", 0))
        self.assertEqual(data.where, torch.device("cuda", 0))
        after = data.batch(torch.arange(8), torch.device("cuda", 0))
        self.assertTrue(all(torch.equal(a, b) for a, b in zip(before, after)))


NETWORK = "fashion_cnn"

if __name__ == "__main__":
    unittest.main()
