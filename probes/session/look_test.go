package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/harness"
)

// look probes a model with the work alone to be counted.
func look(t *testing.T, spec harness.Spec, known profile.Work) Update {
	t.Helper()
	spec.WorkOnly = true
	o, err := WithModel(t.Context(), Options{Store: openStore(t), Named: true,
		Description: store.Description{Work: known}}, spec, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s.Wait()
}

// Real networks are looked at, in Python and as TorchScript: their work is counted as by
// hand, nothing is timed, and the run is one that rank answers from.
func TestALookCountsTheWork(t *testing.T) {
	python := torch(t)
	dir := t.TempDir()
	const nets = "from torch import nn\n\ndef net():\n    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), " +
		"nn.Linear(8 * 16, 10))\n"
	if err := os.WriteFile(filepath.Join(dir, "nets.py"), []byte(nets), 0o600); err != nil {
		t.Fatal(err)
	}
	script := exec.Command(python, "-c", "import torch, nets; torch.jit.script(nets.net()).save('net.pt')")
	script.Dir = dir
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for model, spec := range map[string]harness.Spec{
		"nets.py:net": {Input: "3x6x6", TrainSize: 5000, Batch: 64, Epochs: 4},
		"net.pt":      {Input: "3x6x6", Mode: profile.Infer, Batch: 32},
	} {
		spec.Model = filepath.Join(dir, model)
		u := look(t, spec, profile.Work{})
		w := u.Run.Work
		if u.Err != nil || !u.Run.IsLook() || u.Run.BatchSize != spec.Batch || *w.FLOPs != 2*(8*16*27+8*16*10) ||
			w.Activations == nil || *w.Activations != 8*16+10 || w.Layers == nil || *w.Layers != 2 {
			t.Errorf("%s: %v, %+v of work %+v", model, u.Err, u.Run, w)
		}
		if spec.TrainSize > 0 && (u.Run.TrainSize == nil || *u.Run.TrainSize != 5000 || *u.Run.Epochs != 4 ||
			u.Run.TotalS != nil) {
			t.Errorf("%s: %+v", model, u.Run)
		}
	}
}

// A graph that tells its work needs no Python at all; one of which it is unknown is no
// answer.
func TestALookAtAGraph(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net.onnx")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "/bin:/usr/bin")
	spec := harness.Spec{Model: file, Mode: profile.Infer}
	if u := look(t, spec, profile.Work{FLOPs: new(1e9)}); u.Err != nil || !u.Run.IsLook() {
		t.Errorf("%v: %+v", u.Err, u.Run)
	}
	if u := look(t, spec, profile.Work{}); u.Err == nil || u.Run.Status != profile.Failed {
		t.Errorf("of unknown work: %+v", u.Run)
	}
}
