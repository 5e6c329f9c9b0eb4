package session

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/engine/training"
	"sweetspot/probes/harness"
	"sweetspot/probes/python"
)

var find = sync.OnceValues(func() (python.Interpreter, error) { return python.Find(torchContext, "") })

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

// harnessProbe is what [WithModel] makes, without looking for the interpreter
// again.
func harnessProbe(t *testing.T, s *store.Store, spec harness.Spec) Options {
	t.Helper()
	files, argv, err := harness.Program(torch(t), spec, false)
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Command: argv, Files: files, Rule: steady.DefaultRule(), Store: s,
		Description: store.Description{Model: profile.Model{Name: spec.Name()}, Mode: cmp.Or(spec.Mode, profile.Train),
			BatchSize: spec.Batch},
	}
}

func fashionMNIST(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("dataset-fashion-mnist is not installed")
		}
		t.Skip("dataset-fashion-mnist is not installed")
	}
}

// untrained is a network of a user's file, whose weights nobody trains. One layer: what is
// tested is not how long it computes.
func untrained(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "net.py")
	const source = "from torch import nn\ndef net(): return nn.Sequential(nn.Flatten(), nn.Linear(784, 10))\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return file + ":net"
}

// A real training on real data stops by itself, is saved, and answers how
// long a whole training would take. On a machine with other work its steps may
// be too uneven to be precise; then the cap ends it, and all that does not
// depend on being steady holds as well.
func TestTrainingStopsByItself(t *testing.T) {
	fashionMNIST(t)
	s := openStore(t)
	o, err := WithModel(t.Context(), Options{Rule: steady.DefaultRule(), Store: s},
		harness.Spec{Model: "example:fashion-cnn", Batch: 64, Epochs: 20}, torch(t))
	if err != nil {
		t.Fatal(err)
	}
	o.Rule.Target, o.Rule.MinSeconds, o.Rule.MaxSeconds = 0.1, 2, 25
	u := start(t, o).Wait()
	if u.Err != nil || *u.ScriptExit != 0 || u.Run.Status != profile.Done {
		t.Fatalf("because %q, error %v, verdict %+v, log %q", u.StoppedBecause, u.Err, u.Verdict, u.Log)
	}
	r := saved(t, s, u.Run.ID)
	switch u.StoppedBecause {
	case steady.Precise:
		if r.SteadyN < 20 || r.Steady.Value <= 0 || r.Steady.HalfWidth() > 0.1 {
			t.Errorf("not as precise as it says: %+v", r)
		}
		if e := training.Training(r, 5, nil); !e.Known() || e.Value < 5*900*r.Steady.Value {
			t.Errorf("five epochs: %+v", e)
		}
	case steady.Cap:
		if u.SpentS < 25 {
			t.Errorf("at the cap of 25 s after %g s", u.SpentS)
		}
	default:
		t.Fatalf("because %q", u.StoppedBecause)
	}
	if r.Model != "fashion-cnn" || r.Dataset != "fashion-mnist" || r.Unit != "image" || r.BatchSize != 64 ||
		*r.TrainSize != 60000 || *r.IterationsPerEpoch != 938 || *r.Epochs != 20 {
		t.Errorf("description %+v", r)
	}
	if r.Variant.Precision != "fp32" || r.InitS == nil || *r.InitS <= 0 || r.FirstIterationS == nil ||
		len(u.Seconds) == 0 {
		t.Errorf("times %+v", r)
	}
	if its, err := s.Iterations(t.Context(), r.ID); err != nil || len(its) != len(u.Seconds) {
		t.Errorf("%d of %d iterations saved, %v", len(its), len(u.Seconds), err)
	}
	if r.GPUCount == 0 && r.PeakMemoryBytes != nil {
		t.Error("a CPU has no peak GPU memory")
	}
	// Stopped within the first epoch: the time of a validation is known, an
	// accuracy is not.
	if r.FirstValidationS == nil || (r.Accuracy != nil && len(u.Seconds) < 938) {
		t.Errorf("validation %v, accuracy %v after %d steps", r.FirstValidationS, r.Accuracy, len(u.Seconds))
	}
}

// A training that runs to its end learns something, and its accuracy is kept.
func TestInferenceAndAccuracy(t *testing.T) {
	fashionMNIST(t)
	file := filepath.Join(t.TempDir(), "learned.py")
	// One class of the ten told apart by brightness alone is no network worth
	// the name; a few real steps of training are.
	const source = `
import gzip, torch
from torch import nn
def learned():
    torch.manual_seed(0)
    d = "/usr/share/datasets/fashion-mnist/train-"
    x = torch.frombuffer(bytearray(gzip.open(d + "images-idx3-ubyte.gz").read()[16:16+784*6400]), dtype=torch.uint8)
    y = torch.frombuffer(bytearray(gzip.open(d + "labels-idx1-ubyte.gz").read()[8:8+6400]), dtype=torch.uint8).long()
    x = ((x.float() / 255 - 0.286) / 0.353).reshape(-1, 1, 28, 28)
    net = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for i in range(0, 6400, 64):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x[i:i+64]), y[i:i+64]).backward()
        opt.step()
    return net
`
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openStore(t)
	u := start(t, harnessProbe(t, s, harness.Spec{Model: file + ":learned", Mode: profile.Infer, Input: "1x28x28",
		Batch: 96, Epochs: 1})).Wait()
	if u.Err != nil || u.StoppedBecause != End {
		t.Fatalf("because %q, error %v, log %q", u.StoppedBecause, u.Err, u.Log)
	}
	r := saved(t, s, u.Run.ID)
	if r.Accuracy == nil || r.Accuracy.Value < 0.6 || r.Accuracy.Value > 0.95 || r.Accuracy.Metric != "top1" {
		t.Errorf("accuracy %+v", r.Accuracy)
	}
	// 10,000 images are 104 whole batches; the rest counts for the accuracy.
	if len(u.Seconds) != 104 || *r.Validations[0].Units != 10000 || r.FirstValidationS != nil || r.BatchSize != 96 {
		t.Errorf("%d iterations, %+v", len(u.Seconds), r)
	}
}

// An untrained network's accuracy is that of guessing, which is nobody's
// accuracy.
func TestUntrainedInferenceHasNoAccuracy(t *testing.T) {
	fashionMNIST(t)
	s := openStore(t)
	u := start(t, harnessProbe(t, s, harness.Spec{Model: untrained(t), Input: "1x28x28", Mode: profile.Infer, Batch: 1000,
		Epochs: 1})).Wait()
	if u.Err != nil || u.Run.Accuracy != nil || !strings.Contains(strings.Join(u.Warnings, "\n"), "untrained") {
		t.Errorf("error %v, accuracy %+v, warnings %q", u.Err, u.Run.Accuracy, u.Warnings)
	}
}

// An inference passes over its data again and again until it is stopped, and
// its accuracy is that of the first pass. The steps cap stands for whatever
// ends it: how soon a mean is precise depends on the machine.
func TestInferenceOutlastsItsData(t *testing.T) {
	fashionMNIST(t)
	s := openStore(t)
	spec := harness.Spec{Model: untrained(t), Input: "1x28x28", Mode: profile.Infer, Batch: 2000}
	rule := steady.DefaultRule()
	rule.Target, rule.MaxN = 1e-9, 12
	o, err := WithModel(t.Context(), Options{Rule: rule, Store: s}, spec, torch(t))
	if err != nil {
		t.Fatal(err)
	}
	u := start(t, o).Wait()
	if u.Err != nil || u.StoppedBecause != steady.Cap || len(u.Seconds) < 12 {
		t.Fatalf("because %q after %d steps, error %v, log %q", u.StoppedBecause, len(u.Seconds), u.Err, u.Log)
	}
	r := saved(t, s, u.Run.ID)
	if len(r.Validations) != 1 || *r.Validations[0].Units != 10000 {
		t.Errorf("validations %+v", r.Validations)
	}
	if its, err := s.Iterations(t.Context(), r.ID); err != nil || len(its) < 12 || its[11].Epoch != 2 ||
		its[11].Index != 1 {
		t.Errorf("%d iterations of 5 a pass, %v", len(its), err)
	}
}

// What a user gets wrong is said in one sentence, and nothing hangs.
func TestHarnessProblems(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net.py")
	const source = `
from torch import nn
def conv(): return nn.Conv2d(3, 4, 3)
def needs(width): return nn.Linear(width, 2)
def breaks(): raise ValueError("no weights here")
def huge(): return nn.Sequential(nn.Flatten(), nn.Linear(3072, 10**12))
def flat(): return nn.Sequential(nn.Flatten(), nn.Linear(3072, 5))
not_a_module = lambda: 7
`
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openStore(t)
	for _, c := range []struct {
		factory, input, says string
		status               profile.Status
		change               func(*harness.Spec)
	}{
		{"nothing", "3x32x32", "there is no function nothing", profile.Failed, nil},
		{"needs", "3x32x32", "needs the arguments width", profile.Failed, nil},
		{"breaks", "3x32x32", "ValueError: no weights here", profile.Failed, nil},
		{"not_a_module", "3x32x32", "not a torch.nn.Module", profile.Failed, nil},
		{"conv", "1x28x28", "does not take input of shape 1x28x28", profile.Failed, nil},
		{"conv", "3x32x32", "cross-entropy needs", profile.Failed, nil},
		{"huge", "3x32x32", "out of memory", profile.OutOfMemory, nil},
		{"flat", "3x32x32", "Fashion-MNIST cannot be used", profile.Failed,
			func(s *harness.Spec) { s.Data = harness.FashionMNIST }},
		{"flat", "3x32x32", "a batch of 8 is more than the 5 samples", profile.Failed, func(s *harness.Spec) {
			s.Mode,
				s.TrainSize = profile.Infer, 5
		}},
		{"flat", "3x32x32", "", profile.Done, func(s *harness.Spec) { s.Epochs, s.TrainSize, s.Precision = 1, 640, "bf16" }},
	} {
		spec := harness.Spec{Model: file + ":" + c.factory, Input: c.input, Batch: 8}
		if c.change != nil {
			c.change(&spec)
		}
		u := start(t, harnessProbe(t, s, spec)).Wait()
		said := u.StoppedWords // of what ran out of memory, which is no failure
		if u.Err != nil {
			said = u.Err.Error()
		}
		if u.Run.Status != c.status || (u.Err != nil) != (c.status == profile.Failed) || !strings.Contains(said, c.says) {
			t.Errorf("%s of %s: status %s, error %v, %q", c.factory, c.input, u.Run.Status, u.Err, u.StoppedWords)
		}
		if c.status == profile.Done && (len(u.Seconds) != 80 || u.Run.Dataset != "synthetic" ||
			u.Run.Variant.Precision != "bf16" || *u.Run.IterationsPerEpoch != 80) {
			t.Errorf("synthetic: %d iterations, %+v", len(u.Seconds), u.Run)
		}
	}
}
