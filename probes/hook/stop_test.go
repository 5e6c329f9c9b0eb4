package hook

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sweetspot/probes/runner"
)

// A script that is asked to stop ends at a step boundary and by itself: what
// it saves is whole, what it registered for its end is done.
func TestStopAtStepBoundary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.pt")
	var once sync.Once
	r := watch(t, runner.Command{Argv: []string{torch(t), "../frameworks/scripts/checkpoints.py", path}},
		func(p *runner.Process, r *recorded) {
			if len(r.iterations) == 20 {
				once.Do(func() { p.StopWithin(30 * time.Second) })
			}
		})
	if r.exit.Code != 0 || r.stdout != "left in order\n" || r.stderr != "" {
		t.Errorf("exit %+v, stdout %q, stderr %q", r.exit, r.stdout, r.stderr)
	}
	n := len(r.iterations)
	if n < 20 || n > 900 || len(r.pauses) < n-1 || len(r.pauses) > n {
		t.Errorf("%d iterations, %d checkpoints", n, len(r.pauses))
	}
	out, err := exec.CommandContext(t.Context(), torch(t), "-c", "import sys, torch; print(len(torch.load(sys.argv[1])))",
		path).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "4" {
		t.Errorf("the checkpoint is not whole: %s, %v", out, err)
	}
	for _, p := range r.pauses {
		if p.Kind != "checkpoint" || p.Seconds <= 0 {
			t.Fatalf("pause %+v", p)
		}
	}
}

// A cap on steps holds to the step, also where it is in doubt what one is.
func TestEndAfterSteps(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain_loop.py", "two_optimizers.py", "stages.py", "own_optimizer.py"} {
		r := watch(t, runner.Command{Argv: []string{torch(t), "../frameworks/scripts/" + name},
			Env: append(Env(os.Getenv("PYTHONPATH")), End(7)...)}, nil)
		if r.exit.Code != 0 || len(r.iterations) != 7 || strings.Contains(r.stdout, "weights") || r.stderr != "" {
			t.Errorf("%s: exit %+v, %d iterations, stdout %q, stderr %q", name, r.exit, len(r.iterations), r.stdout, r.stderr)
		}
	}
}

// Between the steps of two optimizers a batch is half done: the stop waits for
// the second.
func TestStopAfterTheLastOptimizer(t *testing.T) {
	const source = `
import torch
from torch.utils.data import DataLoader
torch.set_num_threads(1)
a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
first, second = torch.optim.SGD(a.parameters(), lr=0.1), torch.optim.SGD(b.parameters(), lr=0.1)
done = [0, 0]
try:
    while True:
        for x in DataLoader(torch.randn(40, 2), batch_size=4):
            a(x).sum().backward()
            first.step(); done[0] += 1
            b(x).sum().backward()
            second.step(); done[1] += 1
finally:
    print(done[0] - done[1])
`
	file := script(t, source)
	var once sync.Once
	r := watch(t, runner.Command{Argv: []string{torch(t), file}}, func(p *runner.Process, r *recorded) {
		once.Do(func() { p.StopWithin(30 * time.Second) })
	})
	// The step that ended the script has happened, but did not return.
	if r.exit.Code != 0 || r.stdout != "1\n" {
		t.Errorf("exit %+v, stdout %q, stderr %q", r.exit, r.stdout, r.stderr)
	}
}

// distributed starts two ranks. PyTorch 1.13 under Python 3.11 does not
// understand its own default of -r and -t, hence another.
func distributed(t *testing.T, epochs string) runner.Command {
	t.Helper()
	return runner.Command{Argv: []string{
		torch(t), "-m", "torch.distributed.run", "--nproc_per_node", "2",
		"--rdzv_backend", "c10d", "--rdzv_endpoint", "localhost:0", "-r", "2", "-t", "2", "--log_dir", t.TempDir(),
		"../frameworks/scripts/ranks.py", epochs,
	}}
}

// Two ranks are told apart; the batch of the model is that of both.
func TestRanks(t *testing.T) {
	r := watch(t, distributed(t, "2"), nil)
	if r.exit.Code != 0 || len(r.warnings) != 0 {
		t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
	}
	count := map[int]int{}
	for _, it := range r.iterations {
		count[it.Rank]++
		if number(it.Units) != 5 {
			t.Fatalf("%g units of a rank", *it.Units)
		}
	}
	if !maps.Equal(count, map[int]int{0: 16, 1: 16}) {
		t.Errorf("iterations of the ranks: %v", count)
	}
	if len(r.models) != 1 || len(r.inits) != 2 || len(r.hellos) != 8 || len(r.validations) != 2 {
		t.Fatalf("%d models, %d inits, %d hellos, %d validations", len(r.models), len(r.inits), len(r.hellos),
			len(r.validations))
	}
	m := r.models[0]
	if number(m.WorldSize) != 2 || number(m.BatchSize) != 10 || number(m.TrainSize) != 80 ||
		number(m.IterationsPerEpoch) != 8 || number(m.Epochs) != 2 || number(m.Params) != 49 {
		t.Errorf("world %g, batch %g, train size %g, per epoch %g, epochs %g, parameters %g", number(m.WorldSize),
			number(m.BatchSize), number(m.TrainSize), number(m.IterationsPerEpoch), number(m.Epochs), number(m.Params))
	}
}

// All ranks stop after the same iteration, so that none waits for another.
func TestRanksStopTogether(t *testing.T) {
	var once sync.Once
	r := watch(t, distributed(t, "100000"), func(p *runner.Process, r *recorded) {
		if len(r.iterations) > 50 {
			once.Do(func() { p.StopWithin(60 * time.Second) })
		}
	})
	count := map[int]int{}
	for _, it := range r.iterations {
		count[it.Rank]++
	}
	if r.exit.Code != 0 || count[0] != count[1] || count[0] < 25 {
		t.Errorf("exit %+v, iterations of the ranks %v, stderr %q", r.exit, count, r.stderr)
	}
	if slices.Contains(r.done, "oom") || len(r.failures) != 0 {
		t.Errorf("done %q, errors %q", r.done, r.failures)
	}
}
