package hook

import (
	"os/exec"
	"testing"

	"sweetspot/probes/runner"
)

// Times of a device are read once it has passed both ends, in order, and
// nobody waits for it while few are outstanding. What it worked off while the program
// was compiled is no part of that pause, and it is asked nothing while it captures a
// graph. The device is a fake; a real
// one is measured where there is one.
func TestDeviceTimes(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "python3", "-B", "../frameworks/scripts/device.py")
	cmd.Env = append(cmd.Environ(), "PYTHONPATH=python", "SWEETSPOT_HOOK=")
	out, err := cmd.CombinedOutput()
	const want = `0 reported, 0 waits
1 reported, waits for [10.0]
3 reported, waits for [10.0]
off: False
0.05 s to another stream's mark
iteration 0.01
iteration 0.01
iteration 0.01
iteration 0.01
iteration 0.01
pause 0.025
iteration 0.01
pause 0.04
iteration 0.01
pause of no time
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}

// Each kind of device has a clock that does not wait for it, or none: then nothing is said
// of its times.
func TestClocks(t *testing.T) {
	const source = `
from types import SimpleNamespace as NS
from sweetspot_hook import clock
class Event:
    def __init__(self, enable_timing): self.enable_timing = enable_timing
    def record(self, *stream): print("event on", *stream)
    def elapsed_time(self, end): return 250.0
    def query(self): return True
    def synchronize(self): pass
def device(name): return NS(Event=Event, current_stream=lambda d: "a stream of " + name, synchronize=lambda *d: print("wait for", name))
torch = NS(cuda=device("cuda"), xpu=device("xpu"), mps=device("mps"))
for kind in ("cpu", "meta", "cuda", "xpu", "mps", "xla", "hpu"):
    c = clock.of(torch, NS(type=kind), 8)
    print(kind, type(c).__name__)
    if c is not None and not c.immediate:
        print(c.seconds(c.mark(), c.mark()), c.busy())
        c.wait()
print(clock.of(NS(mps=NS()), NS(type="mps"), 8))
`
	const want = `cpu HostClock
meta HostClock
cuda StreamClock
event on a stream of cuda
event on a stream of cuda
0.25 False
wait for cuda
xpu StreamClock
event on a stream of xpu
event on a stream of xpu
0.25 False
wait for xpu
mps QueueClock
event on
event on
0.25 False
wait for mps
xla NoneType
hpu NoneType
None
`
	if out := hooked(t, "python3", source); out != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
}

// hooked is what a program prints that imports the hook's modules.
func hooked(t *testing.T, python, source string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, "-B", "-c", source)
	cmd.Env = append(cmd.Environ(), "PYTHONPATH=python", "SWEETSPOT_HOOK=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	return string(out)
}

// A step that went into a CUDA graph happens when that is replayed, and not while it is
// captured, even before any other step.
func TestStepsInCUDAGraphs(t *testing.T) {
	const source = `
import torch
from torch import nn
torch.set_num_threads(1)
capturing = False
class CUDAGraph:
    def capture_begin(self):
        global capturing
        capturing, self.held = True, []
    def capture_end(self):
        global capturing
        capturing = False
    def replay(self): [call() for call in self.held]
torch.cuda.CUDAGraph = CUDAGraph
torch.cuda.is_initialized = lambda: True
torch.cuda.is_current_stream_capturing = lambda: capturing
from sweetspot_hook import graphs, patches
graphs.watch(patches.recorder, torch)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 4)
def backward():
    model.zero_grad(); model(x).sum().backward()
graph = torch.cuda.CUDAGraph()
graph.capture_begin(); backward(); optimizer.step(); graph.held.append(backward); graph.capture_end()
print("counted while it was captured:", patches.recorder.count)
other = torch.cuda.CUDAGraph()
other.capture_begin(); other.held.append(backward); other.capture_end()
for _ in range(5):
    graph.replay(); other.replay()
print("counted:", patches.recorder.count)
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, source)}}, nil)
	if want := "counted while it was captured: 0\ncounted: 5\n"; r.stdout != want || len(r.iterations) != 5 ||
		len(r.warnings) > 0 {
		t.Errorf("%q, want %q; %d iterations, warnings %q, stderr %q", r.stdout, want, len(r.iterations), r.warnings,
			r.stderr)
	}
}

// The precision of 32-bit products is that of the convolutions where there are any, and of
// the matrices elsewhere, whichever of PyTorch's switches were set.
func TestTF32(t *testing.T) {
	const source = `
import torch
from types import SimpleNamespace as NS
from sweetspot_hook import facts
torch.cuda.get_device_capability = lambda device=None: capability
f, own = facts.Facts(torch), [NS(device=NS(type="cuda"))]
def both(): return f._tf32(own, [torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1))]), f._tf32(own, [torch.nn.Linear(1, 1)])
for capability in ((7, 0), (8, 0)):
    torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = True, False
    print(*both())
torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = False, True
print(*both())
torch.set_float32_matmul_precision("highest")
print(*both())
if hasattr(torch.backends.cudnn, "conv"):
    torch.backends.cudnn.conv.fp32_precision, torch.backends.cuda.matmul.fp32_precision = "tf32", "tf32"
else:
    torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = True, True
print(*both())
torch.version.hip = "6.2"
print(*both())
`
	const want = "False False\nTrue False\nFalse True\nFalse False\nTrue True\nFalse False\n"
	if out := hooked(t, torch(t), source); out != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
}

// A process that was forked from one that trains on a GPU ends as ever, though the events
// of its parent cannot be destroyed in it.
func TestForkedFromATrainingOnADevice(t *testing.T) {
	const body = `
import os, sys
for i in range(4): learn(*data[:6])
child = os.fork()
if child:
    print("the child ended with", os.waitpid(child, 0)[1])
sys.exit(0)
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)}, Env: Env(stream(t))}, nil)
	if r.exit.Code != 0 || r.stdout != "the child ended with 0\n" || len(r.iterations) != 4 || len(r.warnings) != 0 {
		t.Errorf("exit %+v, stdout %q, stderr %q, %d iterations, warnings %q", r.exit, r.stdout, r.stderr,
			len(r.iterations), r.warnings)
	}
}

// On a GPU PyTorch makes the steps of optimizers within the backward pass in a thread of its
// own. The loops that they are in are those of the thread that waits for it.
func TestStepsInTheThreadOfADevice(t *testing.T) {
	const body = `
import threading
local = threading.local()
torch._C._current_graph_task_id = lambda: getattr(local, "task", -1)
class Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, gradient):
        def run():
            local.task = 0
            model.weight.grad = torch.ones(1, 4)
            optimizer.step()
        thread = threading.Thread(target=run)
        thread.start(); thread.join()
        return gradient
for epoch in range(3):
    for x, y in DataLoader(data, 6):
        nn.functional.mse_loss(Step.apply(model(x)), y).backward()
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)}, Env: Env(stream(t))}, nil)
	if r.exit.Code != 0 || len(r.iterations) != 12 || len(r.warnings) != 0 {
		t.Fatalf("exit %+v, stderr %q, %d iterations, warnings %q", r.exit, r.stderr, len(r.iterations), r.warnings)
	}
	if m := r.models[0]; m.Epochs == nil || *m.Epochs != 3 {
		t.Errorf("%+v: not of 3 epochs", m)
	}
}

// Without an optimizer the parameters are not looked at while a graph is captured: to read
// them would spoil it.
func TestParametersInACapture(t *testing.T) {
	const body = `
from sweetspot_hook import gradients
capturing = False
torch.cuda.is_initialized, torch.cuda.is_current_stream_capturing = lambda: True, lambda: capturing
now = gradients.Gradients._now
def read(self):
    print("read in a capture" if capturing else "read")
    return now(self)
gradients.Gradients._now = read
del optimizer
import gc; gc.collect()
from sweetspot_hook import patches
patches.recorder.optimizers = []
x, y = data[:6]
learn(x, y, step=False)
capturing = True
learn(x, y, step=False)
capturing = False
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)}}, nil)
	if r.exit.Code != 0 || r.stdout != "read\nread\n" && r.stdout != "read\n" || len(r.warnings) != 0 {
		t.Errorf("exit %+v, stdout %q, stderr %q, warnings %q", r.exit, r.stdout, r.stderr, r.warnings)
	}
}
