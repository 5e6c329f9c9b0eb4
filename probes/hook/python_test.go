package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/probes/runner"
)

func script(t testing.TB, source string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.py")
	writeFile(t, file, source)
	return file
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The sitecustomize that the user's environment has is run as ever, and can be
// imported under its name.
func TestSitecustomizeIsChained(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sitecustomize.py"),
		[]byte("import sys\nsys.theirs = 'ran'\nNAME = 'theirs'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := script(t, "import sys, sitecustomize\nprint(sys.theirs, sitecustomize.NAME, any('sweetspot-probe-' in p "+
		"for p in sys.path))\n")
	r := watch(t, runner.Command{Argv: []string{torch(t), file}, Env: Env(dir)}, nil)
	if r.exit.Code != 0 || r.stdout != "ran theirs False\n" || len(r.hellos) != 1 {
		t.Errorf("exit %+v, stdout %q, stderr %q, %d hellos", r.exit, r.stdout, r.stderr, len(r.hellos))
	}
}

// A sitecustomize that fails is reported by Python as without us, and the
// script runs.
func TestFailingSitecustomize(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sitecustomize.py"), []byte("raise ValueError('theirs is broken')\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, "print('runs')\n")}, Env: Env(dir)}, nil)
	if r.exit.Code != 0 || r.stdout != "runs\n" || !strings.Contains(r.stderr, "theirs is broken") || len(r.hellos) != 1 {
		t.Errorf("exit %+v, stdout %q, stderr %q, %d hellos", r.exit, r.stdout, r.stderr, len(r.hellos))
	}
}

// Python told to ignore its environment cannot be hooked into: it runs as
// ever, and the silence tells.
func TestIsolatedPythonSaysNothing(t *testing.T) {
	t.Parallel()
	for _, option := range []string{"-I", "-E", "-S"} {
		r := watch(t, runner.Command{Argv: []string{torch(t), option, script(t, "print('runs')\n")}}, nil)
		if r.exit.Code != 0 || r.stdout != "runs\n" || len(r.hellos)+len(r.warnings)+len(r.others) != 0 {
			t.Errorf("%s: exit %+v, stdout %q, %d hellos", option, r.exit, r.stdout, len(r.hellos))
		}
	}
}

// Of a tree of processes the first says hello, torch is imported by nobody
// that did not ask for it, and a script that ends with its own code does.
func TestTreeOfProcesses(t *testing.T) {
	const source = `
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "import sys; print('torch' in sys.modules)"], stdout=subprocess.PIPE).stdout.decode().strip())
sys.exit(3)
`
	r := watch(t, runner.Command{Argv: []string{"/bin/sh", "-c", `"$0" "$1"`, torch(t), script(t, source)}}, nil)
	if r.exit.Code != 3 || r.stdout != "False\n" || len(r.hellos) != 1 {
		t.Errorf("exit %+v, stdout %q, %d hellos", r.exit, r.stdout, len(r.hellos))
	}
}

// Trainings after one another are told apart, whoever starts them; of two at once only one reports.
func TestSeveralTrainings(t *testing.T) {
	path := script(t, preamble+"import sys, time\nlearn(*data[:6])\nlearn(*data[6:12])\ntime.sleep(float(sys.argv[1]))\n")
	driver := script(t, "import subprocess, sys\nfor i in range(2):\n    subprocess.run([sys.executable, sys.argv[1], '0'], check=True)\n")
	for name, argv := range map[string][]string{
		"a shell":  {"/bin/sh", "-c", `"$0" "$1" 0 && "$0" "$1" 0`, torch(t), path},
		"a driver": {torch(t), driver, path},
	} {
		r := watch(t, runner.Command{Argv: argv}, nil)
		if r.exit.Code != 0 || len(r.iterations) != 4 || len(r.trainings) != 2 || len(r.warnings) != 0 {
			t.Fatalf("%s: exit %+v, %d iterations, trainings %+v, warnings %q, stderr %q", name, r.exit, len(r.iterations),
				r.trainings, r.warnings, r.stderr)
		}
		for i, e := range r.trainings {
			if e.Number != i || filepath.Base(e.Script) != filepath.Base(path) || e.T == nil {
				t.Errorf("%s: training %d is %+v", name, i, e)
			}
		}
		if first := r.inits[0].Seconds; r.inits[1].Seconds > 3*first+1 { // from its own process's start
			t.Errorf("%s: the second began after %g s, the first after %g s", name, r.inits[1].Seconds, first)
		}
	}
	const both = `"$0" "$1" 5 & sleep 2; "$0" "$1" 0; wait`
	r := watch(t, runner.Command{Argv: []string{"/bin/sh", "-c", both, torch(t), path}}, nil)
	if n := len(r.trainings); n == 1 && (len(r.iterations) != 2 || len(r.warnings) != 1) || n < 1 || n > 2 {
		t.Errorf("at once: %d iterations of %d trainings, warnings %q", len(r.iterations), n, r.warnings)
	}
}

// A program may ask whether torch is there before it imports it, as Hugging Face's do.
func TestTorchThatIsLookedForFirst(t *testing.T) {
	t.Parallel()
	const source = "import importlib.util\nprint(importlib.util.find_spec('torch').name)\n" + preamble +
		"learn(*data[:6])\n"
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, source)}}, nil)
	if r.exit.Code != 0 || r.stdout != "torch\n" || len(r.iterations) != 1 {
		t.Errorf("exit %+v, stdout %q, stderr %q, %d iterations", r.exit, r.stdout, r.stderr, len(r.iterations))
	}
}

// A small vocabulary may have fewer rows than there are positions, which are given once for all texts of a batch.
func TestMorePositionsThanWords(t *testing.T) {
	t.Parallel()
	const source = preamble + `
class Texts(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions, self.head = nn.Embedding(20, 8), nn.Embedding(64, 8), nn.Linear(8, 20)
    def forward(self, ids):
        return self.head(self.words(ids) + self.positions(torch.arange(ids.shape[1])[None]))
model = Texts()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for ids, in DataLoader(TensorDataset(torch.randint(20, (24, 5))), batch_size=6):
    nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()
    optimizer.step()
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, source)}}, nil)
	if r.exit.Code != 0 || len(r.tunings) == 0 {
		t.Fatalf("exit %+v, stderr %q, warnings %q", r.exit, r.stderr, r.warnings)
	}
	said := r.tunings[len(r.tunings)-1].Tuning
	if said.MicroBatch == nil || *said.MicroBatch != 6 || said.TokensPerStep == nil || *said.TokensPerStep != 30 {
		t.Errorf("%+v", said)
	}
}

const preamble = `
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.set_num_threads(1)
torch.manual_seed(0)
data = TensorDataset(torch.randn(24, 4), torch.randn(24, 1))
other = TensorDataset(torch.randn(12, 4), torch.randn(12, 1))
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def learn(x, y, step=True):
    nn.functional.mse_loss(model(x), y).backward()
    if step:
        optimizer.step()
        optimizer.zero_grad()
`

// A script that runs out of memory says so in the words of the protocol.
func TestOutOfMemory(t *testing.T) {
	const body = `
for x, y in DataLoader(data, batch_size=6):
    learn(x, y)
    torch.empty(1 << 60)
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)}}, nil)
	if r.exit.Code != 1 || !slices.Equal(r.done, []string{"oom"}) || len(r.failures) != 1 ||
		!strings.Contains(r.failures[0], "out of memory") {
		t.Errorf("exit %+v, done %q, errors %q, stderr %q", r.exit, r.done, r.failures, r.stderr)
	}
}

// The exception that ended a script is told, that of another process from within its message.
func TestTellsTheException(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`raise ValueError("the seventh batch is bad")`: "ValueError: the seventh batch is bad",
		`
try:
    {}["x"]
except KeyError:
    raise RuntimeError("no such layer\nsee above")`: "RuntimeError: no such layer",
		`raise RuntimeError("Caught\nOriginal Traceback (most recent call last):\n  File\nOSError: gone\n")`: "OSError: gone",
		`import subprocess; subprocess.run(["false"], check=True)`:                                           "",
		`import sys; sys.exit(3)`: "",
	} {
		r := watch(t, runner.Command{Argv: []string{anyPython(t), "-c", code}}, nil)
		if got := strings.Join(r.failures, "; "); got != want || r.exit.Code == 0 {
			t.Errorf("%s: %q, want %q, exit %d", code, got, want, r.exit.Code)
		}
	}
}
