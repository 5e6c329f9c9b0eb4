package harness

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sweetspot/engine/profile"
	"sweetspot/probes/protocol"
	"sweetspot/probes/python"
	"sweetspot/probes/runner"
)

var find = sync.OnceValues(func() (python.Interpreter, error) { return python.Find(context.Background(), "") })

// torch is the interpreter that has the framework; a test without one is
// skipped, in CI it fails.
func torch(t *testing.T) string {
	t.Helper()
	found, err := find()
	if missing, ok := errors.AsType[*python.NotFoundError](err); ok {
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip("PyTorch is not installed: ", missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found.Path
}

// TestPython runs the tests of the Python side in testdata: pruning against
// masked networks, model files, int8, accuracy, shares and the batch limit.
func TestPython(t *testing.T) {
	files, err := filepath.Glob("testdata/test_*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no tests in testdata", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".py")
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), torch(t), "-B", "-m", "unittest", name)
			cmd.Dir = "testdata"
			cmd.Env = append(os.Environ(), "PYTHONPATH=../python:../../examples", "CUDA_VISIBLE_DEVICES=",
				"PYTHONWARNINGS=ignore", "OMP_NUM_THREADS=1") // threads that wait for each other beside other tests take minutes
			out, err := cmd.CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte("\nOK")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// probed is what the events of a probe amount to.
type probed struct {
	events []protocol.Event
	steps  int
	exit   runner.Exit
	stderr string
}

// probe runs a spec as a session does; each is called for every event.
func probe(t *testing.T, s Spec, each func(*runner.Process, protocol.Event)) probed {
	t.Helper()
	files, argv, err := Program(torch(t), s, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := runner.Start(t.Context(), runner.Command{Argv: argv, Files: files,
		Env: []string{"CUDA_VISIBLE_DEVICES="}})
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(io.Discard, p.Stdout()) })
	both.Go(func() { _, _ = io.Copy(&stderr, p.Stderr()) })
	out := probed{}
	for r := protocol.NewReader(p.Events()); ; {
		item, err := r.Next()
		if err != nil {
			break
		}
		if item.Rejected != "" || item.Event == nil {
			t.Errorf("%+v is no event", item)
			continue
		}
		out.events = append(out.events, item.Event)
		if _, ok := item.Event.(protocol.Iteration); ok {
			out.steps++
		}
		if each != nil {
			each(p, item.Event)
		}
	}
	both.Wait()
	out.exit, out.stderr = p.Wait(), stderr.String()
	return out
}

// of is the last event of a type.
func of[E protocol.Event](p probed) (last E, ok bool) {
	for _, e := range p.events {
		if e, is := e.(E); is {
			last, ok = e, true
		}
	}
	return last, ok
}

func source(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "net.py")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const small = `
from torch import nn
def net():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.Flatten(), nn.Linear(8 * 144, 5))
`

// waits holds a validation until the harness was asked to stop.
const waits = `
import os, torch
class Set:
    def __iter__(self):
        while True:
            with open(os.environ["SWEETSPOT_CONTROL"], "rb") as f:
                asked, watched = f.read(2)
            if asked or not watched:
                break
        for _ in range(4):
            yield torch.zeros(8, 1, 28, 28), torch.zeros(8, dtype=torch.long)
def labelled(): return Set()
def net(): return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
`

// Asked to stop during the first validation, which may take long, a training
// still says how long one takes.
func TestStopDuringTheValidation(t *testing.T) {
	if _, err := os.Stat("/usr/share/datasets/fashion-mnist"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("dataset-fashion-mnist is not installed")
	}
	file := source(t, waits)
	spec := Spec{Model: file + ":net", Input: "1x28x28", Batch: 30000, Eval: file + ":labelled"}
	steps := 0
	p := probe(t, spec, func(p *runner.Process, e protocol.Event) {
		if _, ok := e.(protocol.Iteration); ok {
			if steps++; steps == 2 {
				p.StopWithin(time.Minute)
			}
		}
	})
	v, known := of[protocol.Validation](p)
	if done, _ := of[protocol.Done](p); done.Reason != "interrupted" || p.steps != 2 || !known || v.Seconds <= 0 {
		t.Errorf("%+v after %d steps, %+v (%v): %+v", done, p.steps, v, known, p.events)
	}
}

// Asked by the control file, the harness ends at a step boundary without a
// signal, and measures the layers of a pruned network yet.
func TestStopByControlFile(t *testing.T) {
	spec := Spec{Model: source(t, small) + ":net", Mode: profile.Infer, Input: "3x16x16", Batch: 4, Prune: "0.25",
		Precision: "int8", Layers: true}
	steps := 0
	r := probe(t, spec, func(p *runner.Process, e protocol.Event) {
		if _, ok := e.(protocol.Iteration); ok {
			if steps++; steps == 3 {
				go p.StopWithin(time.Minute)
			}
		}
	})
	done, _ := of[protocol.Done](r)
	if r.exit.Code != 0 || done.Reason != "interrupted" || r.steps < 3 {
		t.Errorf("exit %+v, done %+v after %d steps, stderr %s", r.exit, done, r.steps, r.stderr)
	}
	layers, ok := of[protocol.Layers](r)
	sum := 0.0
	for _, l := range layers.Layers {
		sum += l.Share
	}
	if !ok || len(layers.Layers) < 3 || sum <= 0 || sum > 1 {
		t.Errorf("layers %+v", layers)
	}
	model, _ := of[protocol.Model](r)
	if model.Pruning == nil || *model.Pruning != 0.25 || model.Precision != "int8" {
		t.Errorf("model %+v", model)
	}
	// Of the model, not of the variant: all its variants share them.
	params := 8*27 + 8 + 16 + 8*8*9 + 8 + 8*144*5 + 5
	if *model.Params != float64(params) {
		t.Errorf("%g parameters, want %d", *model.Params, params)
	}
}

// The largest batch is found, and a network that fits nowhere is out of
// memory.
func TestLargestBatch(t *testing.T) {
	file := source(t, small+`
class Bounded(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.most, self.fc = most, nn.Linear(12, 5)
    def forward(self, x):
        if len(x) > self.most:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return self.fc(x)
def bounded(): return Bounded(21)
def nowhere():
    net = Bounded(10)
    net.eval = lambda: net  # the first look at it is allowed
    calls = [0]
    def count(module, inputs):
        calls[0] += 1
        net.most = 10 if calls[0] <= 2 else 0
    net.register_forward_pre_hook(count)
    return net
`)
	r := probe(t, Spec{Model: file + ":bounded", Input: "12", Batch: 2, FitBatch: 4096}, nil)
	limit, ok := of[protocol.Limit](r)
	if done, _ := of[protocol.Done](r); !ok || limit.BatchSize != 21 || *limit.FailsAt != 22 || done.Reason != "end" ||
		r.exit.Code != 0 {
		t.Errorf("limit %+v, %v, exit %+v, stderr %s", limit, done, r.exit, r.stderr)
	}
	r = probe(t, Spec{Model: file + ":nowhere", Mode: profile.Infer, Input: "12", Batch: 8, FitBatch: 64}, nil)
	failure, _ := of[protocol.Failure](r)
	if done, _ := of[protocol.Done](r); done.Reason != "oom" || !strings.Contains(failure.Message, "out of memory") ||
		r.exit.Code != 1 {
		t.Errorf("%+v, %+v, exit %+v, stderr %s", failure, done, r.exit, r.stderr)
	}
}

// A step that runs out of memory late is reported as that, with its batch.
func TestOutOfMemoryLater(t *testing.T) {
	file := source(t, `
from torch import nn
class Leaking(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.calls = nn.Linear(12, 5), 0
    def forward(self, x):
        self.calls += 1
        if self.calls > 9:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return self.fc(x)
`)
	r := probe(t, Spec{Model: file + ":Leaking", Input: "12", Batch: 16}, nil)
	failure, _ := of[protocol.Failure](r)
	if done, _ := of[protocol.Done](r); done.Reason != "oom" ||
		!strings.Contains(failure.Message, "out of memory at batch 16") || r.steps == 0 || r.exit.Code != 1 {
		t.Errorf("%+v, %+v after %d steps, exit %+v, stderr %s", failure, done, r.steps, r.exit, r.stderr)
	}
}
