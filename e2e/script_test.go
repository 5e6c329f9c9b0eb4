package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A plain training script without a word about sweetspot ends by itself once
// enough is known, and its whole training is predicted: how many epochs it
// means to train, and of how many iterations, is found from outside.
func TestUnmodifiedScript(t *testing.T) {
	python := needTorch(t)
	if _, err := os.Stat("/usr/share/datasets/fashion-mnist"); err != nil {
		lack(t, "dataset-fashion-mnist")
	}
	script, err := filepath.Abs("../probes/examples/train_fashion_mnist.py")
	if err != nil {
		t.Fatal(err)
	}
	user := newHome(t)
	s := finish(t, exec.Command(program, "probe", "--json", "--precision-target", "25%", "--max-seconds", "5m", "--",
		python, script, "--batch-size", "64", "--epochs", "30"), user.env()) // a busy machine is precise late
	if s.code != 0 {
		t.Fatalf("%+v", s)
	}
	var shown struct {
		Run struct {
			StoppedBecause string `json:"stopped_because"`
			ScriptExit     int    `json:"script_exit"`
			Iterations     int    `json:"iterations"`
		} `json:"run"`
		Estimates []struct {
			Epochs float64 `json:"epochs"`
			Time   struct {
				S    float64 `json:"s"`
				Low  float64 `json:"low"`
				High float64 `json:"high"`
			} `json:"time"`
		} `json:"estimates"`
	}
	if err := json.Unmarshal([]byte(s.out), &shown); err != nil {
		t.Fatalf("%v: %s", err, s.out)
	}
	if r := shown.Run; r.StoppedBecause != "precise" || r.ScriptExit != 0 || r.Iterations < 20 || r.Iterations >= 30*938 {
		t.Errorf("%+v", r)
	}
	if len(shown.Estimates) != 1 || shown.Estimates[0].Epochs != 30 ||
		!(shown.Estimates[0].Time.Low < shown.Estimates[0].Time.S &&
			shown.Estimates[0].Time.S < shown.Estimates[0].Time.High) {
		t.Errorf("estimates %+v", shown.Estimates)
	}
	db := sound(t, user.profiles())
	if n := single[int](t, db, "SELECT count(*) FROM v_runs WHERE model = 'train_fashion_mnist' AND batch_size = 64 "+
		"AND iterations_per_epoch = 938 AND status = 'done'"); n != 1 {
		t.Errorf("the run is kept as %s",
			single[string](t, db, "SELECT model || ' ' || batch_size || ' ' || status FROM v_runs"))
	}
}
