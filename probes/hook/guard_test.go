package hook

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/probes/runner"
)

// Wherever the hook itself is broken, the script runs as ever and one warning
// says that it is no longer watched.
func TestDefectsOfOurs(t *testing.T) {
	t.Parallel()
	r := run(t, "broken.py", filepath.Join(t.TempDir(), "model.pt"))
	if r.exit.Code != 0 || r.stderr != "" {
		t.Fatalf("exit %+v, stderr %q", r.exit, r.stderr)
	}
	places := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if len(places) != 16 || places[0] != "nowhere: False" {
		t.Errorf("%d places, first %q", len(places), places[0])
	}
	for _, place := range places[1:] {
		if !strings.HasSuffix(place, ": True") {
			t.Errorf("the hook did not fail where %s", place)
		}
	}
	if len(r.warnings) != len(places) ||
		r.warnings[len(places)-1] != "the end was not recorded: ZeroDivisionError: a defect" {
		t.Fatalf("%d warnings: %q", len(r.warnings), r.warnings)
	}
	for _, w := range r.warnings[:len(places)-1] {
		if !strings.HasPrefix(w, "the training is no longer watched: ") ||
			(!strings.HasSuffix(w, "a defect") && !strings.Contains(w, "'autocast'")) {
			t.Errorf("warning %q", w)
		}
	}
}

// Scripts that do what the hook might not expect run as without it. Those that
// can be watched all the same are.
func TestOddScripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		n          int // iterations
		batch      float64
		warns      string
	}{
		{"a scaler steps an optimizer by its name", `
scaler = torch.cuda.amp.GradScaler(enabled=False)
for x, y in DataLoader(data, batch_size=6):
    learn(x, y, step=False)
    scaler.step(optimizer=optimizer); scaler.update()
`, 4, 6, ""},
		{"a loader whose length fails", `
class Loader(DataLoader):
    def __len__(self): raise RuntimeError("not to be asked")
for x, y in Loader(data, batch_size=6): learn(x, y)
`, 4, 6, ""},
		{"a dataset that gives more than its length, where warnings are errors", `
import warnings
class Stream(torch.utils.data.IterableDataset):
    def __len__(self): return 2
    def __iter__(self): return iter([data[i] for i in range(24)])
warnings.simplefilter("error")
loader = DataLoader(Stream(), batch_size=6)
for epoch in range(2):
    for x, y in loader: learn(x, y)
`, 8, 6, ""},
		{"a loader with an iterator of its own", `
class Loader(DataLoader):
    def _get_iterator(self): return (b for b in [data[:6], data[6:12]])
for x, y in Loader(data, batch_size=6): learn(x, y)
`, 2, 6, ""}, // as the network is given
		{"batches that do not like to be looked at", `
class Batch:
    def __init__(self, samples): self.x, self.y = (torch.stack(p) for p in zip(*samples))
    def __getattr__(self, name): raise KeyError(name)
for b in DataLoader(data, batch_size=6, collate_fn=Batch): learn(b.x, b.y)
`, 4, 6, ""},
		{"an exception that cannot be told", `
class Mute(Exception):
    def __str__(self): raise ValueError("no words")
class Loader(DataLoader):
    @property
    def sampler(self): raise Mute()
    @sampler.setter
    def sampler(self, value): pass
loader = Loader(data, batch_size=6)
for x, y in loader: learn(x, y)
`, 0, unknown, "the training is no longer watched: Mute"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+c.body+"print('finished')\n")}}, nil)
			if r.exit.Code != 0 || r.stdout != "finished\n" || strings.Contains(r.stderr, "Traceback") {
				t.Fatalf("exit %+v, stdout %q, stderr %q", r.exit, r.stdout, r.stderr)
			}
			if got := strings.Join(r.warnings, "\n"); got != c.warns {
				t.Errorf("warnings %q, want %q", got, c.warns)
			}
			if len(r.iterations) != c.n {
				t.Fatalf("%d iterations, want %d", len(r.iterations), c.n)
			}
			if c.n > 0 && number(r.models[0].BatchSize) != c.batch {
				t.Errorf("batch %g, want %g", number(r.models[0].BatchSize), c.batch)
			}
		})
	}
}

// A script that closes the descriptors it does not know, and opens files in
// their place, finds nothing of ours in them; it is watched all the same.
func TestClosedDescriptors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "theirs.txt")
	body := `
import os, sys
for i, (x, y) in enumerate(DataLoader(data, batch_size=6)):
    if i == 2:
        os.closerange(3, 100)
        theirs = [os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND) for _ in range(30)]
    learn(x, y)
print(os.fstat(theirs[0]).st_size)
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body), file}}, nil)
	if r.exit.Code != 0 || r.stdout != "0\n" || len(r.iterations) != 4 {
		t.Errorf("exit %+v, stdout %q, stderr %q, %d iterations", r.exit, r.stdout, r.stderr, len(r.iterations))
	}
}

// A torch that is none of PyTorch's is left alone.
func TestAnotherTorch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := script(t, "import sys\nsys.path.insert(0, "+`"`+dir+`"`+")\nimport torch\nprint(torch.NAME)\n")
	writeFile(t, filepath.Join(dir, "torch.py"), "NAME = 'a flame'\n")
	r := watch(t, runner.Command{Argv: []string{torch(t), file}}, nil)
	if r.exit.Code != 0 || r.stdout != "a flame\n" || len(r.warnings) != 1 ||
		!strings.Contains(r.warnings[0], "cannot be watched") {
		t.Errorf("exit %+v, stdout %q, stderr %q, warnings %q", r.exit, r.stdout, r.stderr, r.warnings)
	}
}

// A script that is no longer watched does not look for a request to stop any
// more: a signal ends it without waiting for the grace period to pass.
func TestStopAfterGivingUp(t *testing.T) {
	const body = `
import sys, time
for i in range(3): learn(*data[:6])
sys.modules["sweetspot_hook.patches"].recorder.data = None
time.sleep(0.2) # the next step is evaluated at once
learn(*data[:6])
print("unwatched", flush=True)
time.sleep(300)
`
	begin := time.Now()
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)}},
		func(p *runner.Process, r *recorded) {
			if len(r.iterations) == 3 {
				time.AfterFunc(2*time.Second, func() { p.StopWithin(2 * time.Minute) })
			}
		})
	if took := time.Since(begin); took > time.Minute || r.stdout != "unwatched\n" ||
		!strings.Contains(r.stderr, "KeyboardInterrupt") {
		t.Errorf("ended after %s with %+v, stdout %q, stderr %q", took, r.exit, r.stdout, r.stderr)
	}
	if len(r.warnings) != 1 || !strings.Contains(r.warnings[0], "no longer watched: AttributeError") {
		t.Errorf("warnings %q", r.warnings)
	}
}
