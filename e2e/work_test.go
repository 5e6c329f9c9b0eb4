package e2e

import (
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"sweetspot/data/contract"
)

// Runs of one script on training sets of different size all answer for the work of the
// newest, and runs of other networks are models of their own.
func TestRunsOfDifferentWork(t *testing.T) {
	t.Parallel()
	python := needTorch(t)
	script, err := filepath.Abs("testdata/convnet.py")
	if err != nil {
		t.Fatal(err)
	}
	user := newHome(t)
	for _, args := range [][]string{
		{"--samples", "600", "--batch", "64"}, {"--samples", "2000", "--batch", "128"},
		{"--samples", "6000", "--batch", "256", "--lr", "0.1"}, // the newest of this network
		{"--width", "8"}, {"-a", "deep"},
	} {
		command := slices.Concat([]string{"probe", "--no-tui", "--max-steps", "40", "--", python, script}, args)
		if s := finish(t, exec.Command(program, command...), user.env()); s.code != 0 {
			t.Fatalf("%q: %+v", args, s)
		}
	}
	var kept struct{ Runs []contract.Run }
	read(t, run(t, user, "runs", "list", "--json"), &kept)
	slices.SortFunc(kept.Runs, func(a, b contract.Run) int { return int(a.ID - b.ID) })
	for i, want := range []string{"convnet", "convnet", "convnet", "convnet (Net 170)", "convnet deep"} {
		r := kept.Runs[i]
		if r.Model != want || *r.Network != "Net" || *r.Input != "1x12x12" || !slices.Contains(r.Command, script) ||
			r.Folder == nil || r.ExitS == nil || *r.ExitS <= 0 {
			t.Errorf("run %d is of %s: a %v of %v, by %q, ended in %v s", r.ID, r.Model, *r.Network, *r.Input, r.Command,
				r.ExitS)
		}
	}
	var ranked struct {
		Query struct {
			Epochs, Units float64
			TrainSize     float64 `json:"train_size"`
		}
		Candidates []struct {
			BatchSize int `json:"batch_size"`
			Time      struct{ S float64 }
		}
	}
	read(t, run(t, user, "rank", "--model", "convnet", "--predicted=false", "--json"), &ranked)
	if q := ranked.Query; q.Epochs != 20 || q.TrainSize != 6000 || q.Units != 120000 || len(ranked.Candidates) != 3 {
		t.Fatalf("%+v", ranked)
	}
	for _, c := range ranked.Candidates {
		i := slices.IndexFunc(kept.Runs, func(r contract.Run) bool { return *r.BatchSize == c.BatchSize })
		iterations := 20 * math.Ceil(6000/float64(c.BatchSize))
		if want := seconds(kept.Runs[i], iterations, 20); math.Abs(c.Time.S/want-1) > 1e-6 {
			t.Errorf("batch %d takes %g s, want %g iterations in %g s", c.BatchSize, c.Time.S, iterations, want)
		}
	}
}

// seconds is what so many iterations and epochs take by the parts of a run.
func seconds(r contract.Run, iterations, epochs float64) float64 {
	of := func(v *float64) float64 {
		if v == nil {
			return 0
		}
		return *v
	}
	later := of(r.FirstValidationS)
	if r.ValidationS != nil {
		later = *r.ValidationS
	}
	return of(r.InitS) + of(r.FirstIterationS) + of(r.WarmupExtraS) + *r.Steady.S*(iterations-1) + of(r.FirstValidationS) +
		(epochs-1)*later + of(r.ExitS)
}

func read(t *testing.T, s said, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.out), into); err != nil || s.code != 0 {
		t.Fatalf("%v: %+v", err, s)
	}
}

// A script that is only looked at is stopped after its first steps: its work is that of a probe,
// nothing is timed, and all VM types are estimated by it.
func TestALookAtAScript(t *testing.T) {
	t.Parallel()
	python := needTorch(t)
	script, err := filepath.Abs("testdata/convnet.py")
	if err != nil {
		t.Fatal(err)
	}
	var users []home
	var runs []contract.Run
	for _, how := range []string{"--max-steps=40", "--work-only"} {
		user := newHome(t)
		if s := finish(t, exec.Command(program, "probe", "--no-tui", how, "--", python, script), user.env()); s.code != 0 {
			t.Fatalf("%s: %+v", how, s)
		}
		var kept struct{ Runs []contract.Run }
		read(t, run(t, user, "runs", "list", "--json"), &kept)
		users, runs = append(users, user), append(runs, kept.Runs[0])
	}
	probed, looked := runs[0], runs[1]
	if looked.FLOPsPerUnit == nil || *looked.FLOPsPerUnit != *probed.FLOPsPerUnit || *looked.Params != *probed.Params ||
		*looked.BatchSize != *probed.BatchSize || *looked.TrainSize != *probed.TrainSize || *looked.Epochs != *probed.Epochs {
		t.Errorf("seen is %+v, measured %+v", looked, probed)
	}
	if looked.Steady.S != nil || looked.InitS != nil || looked.TotalS != nil {
		t.Errorf("it was timed: %+v", looked)
	}
	var ranked struct {
		Candidates []struct{ Time struct{ Basis string } }
	}
	read(t, run(t, users[1], "rank", "--json"), &ranked)
	for _, c := range ranked.Candidates {
		if c.Time.Basis != "spec" {
			t.Errorf("a candidate of basis %s", c.Time.Basis)
		}
	}
	if len(ranked.Candidates) < 10 {
		t.Errorf("%d candidates", len(ranked.Candidates))
	}
}
