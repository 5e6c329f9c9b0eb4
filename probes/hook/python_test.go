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
	const source = "import importlib.util\nprint(importlib.util.find_spec('torch').name)\n" + preamble +
		"learn(*data[:6])\n"
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, source)}}, nil)
	if r.exit.Code != 0 || r.stdout != "torch\n" || len(r.iterations) != 1 {
		t.Errorf("exit %+v, stdout %q, stderr %q, %d iterations", r.exit, r.stdout, r.stderr, len(r.iterations))
	}
}

// A small vocabulary may have fewer rows than there are positions, which are given once for all texts of a batch.
func TestMorePositionsThanWords(t *testing.T) {
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

// Habits of training scripts that a careless count gets wrong.
func TestHabits(t *testing.T) {
	for _, c := range []struct {
		name, body          string
		n                   int
		batch, perEpoch     float64
		first, last         float64 // units
		validations, models int
	}{
		{"one batch fetched ahead", `
for epoch in range(2):
    ahead = None
    for batch in DataLoader(data, batch_size=6):
        if ahead is not None: learn(*ahead)
        ahead = batch
    learn(*ahead)
`, 8, 6, 4, 6, 6, 0, 1},
		{"one batch kept to look at", `
loader = DataLoader(data, batch_size=6)
batches = iter(loader); kept = next(batches)
for step in range(11):
    try: x, y = next(batches)
    except StopIteration:
        batches = iter(loader)
        x, y = next(batches)
    learn(x, y)
`, 11, 6, 4, 6, 6, 0, 1},
		{"all batches kept in a list", `
batches = list(DataLoader(data, batch_size=6))
for epoch in range(2):
    for x, y in batches: learn(x, y)
`, 8, 6, 4, 6, unknown, 0, 1},
		{"one step of the whole epoch", `
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=6): learn(x, y, step=False)
    optimizer.step(); optimizer.zero_grad()
`, 3, 24, 1, 24, 24, 0, 1},
		{"accumulation with a remainder", `
loader = DataLoader(data, batch_size=4)
for epoch in range(2):
    for i, (x, y) in enumerate(loader, 1): learn(x, y, step=i % 4 == 0 or i == len(loader))
`, 4, 16, 2, 16, 8, 0, 2},
		{"two loaders in one loop", `
a, b = DataLoader(data, batch_size=6), DataLoader(other, batch_size=3)
for epoch in range(2):
    for (x, y), (u, v) in zip(a, b): learn(x, y)
`, 8, 6, 4, 6, 6, 0, 1},
		{"an image from the test set after the first step", `
for epoch in range(2):
    for i, (x, y) in enumerate(DataLoader(data, batch_size=6)):
        learn(x, y)
        if i == 0: model(next(iter(DataLoader(other, batch_size=3)))[0])
`, 8, 6, 4, 6, 6, 0, 1},
		{"a look at the test set before", `
examples = iter(DataLoader(other, batch_size=12)); next(examples)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
`, 8, 6, 4, 6, 6, 0, 1},
		{"validation without a mode, training mode set late", `
train, val = DataLoader(data, batch_size=6), DataLoader(other, batch_size=6)
for epoch in range(2):
    for x, y in train:
        model.train(); learn(x, y)
    with torch.no_grad():
        for x, y in val: model(x)
    model.eval()
    for x, y in val: model(x)
`, 8, 6, 4, 6, 6, 4, 1},
		{"trained in evaluation mode", `
for epoch in range(2):
    model.eval()
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
`, 8, 6, 4, 6, 6, 0, 1},
		{"a text decoded in the evaluation mode of the last validation", `
def greedy_decode(net, start): return net(start)
def validate(net): return float(((net(xs) - ys) ** 2).mean())
xs, ys = torch.randn(8, 4), torch.randn(8, 1)
def train():
    for epoch in range(3):
        model.train()
        for x, y in DataLoader(data, batch_size=6): learn(x, y)
        model.eval()
        validate(model)
    model.eval()
    print(greedy_decode(model, xs[:1]))
train()
`, 12, 6, 4, 6, 6, 3, 1},
		{"micro-batches cut by hand", `
xs, ys, parts = torch.randn(60, 4), torch.randn(60, 1), 3
for step in range(8):
    for k in range(parts):
        learn(xs[4 * k : 4 * k + 4], ys[4 * k : 4 * k + 4], step=False)
    optimizer.step(); optimizer.zero_grad()
`, 8, 12, unknown, unknown, unknown, 0, 1},
		{"two looks at data cut by hand", `
xs, ys = torch.randn(60, 4), torch.randn(60, 1)
for step in range(8):
    for k in range(2):
        learn(xs[:6], ys[:6], step=False)
        learn(xs[6:12], ys[6:12], step=False)
    optimizer.step(); optimizer.zero_grad()
`, 8, unknown, unknown, unknown, unknown, 0, 1},
		{"one batch for a closure that is called often", `
xs, ys = torch.randn(17, 4), torch.randn(17, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5, tolerance_grad=0, tolerance_change=0)
for i in range(6):
    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xs), ys)
        loss.backward()
        return loss
    optimizer.step(closure)
`, 6, 17, unknown, unknown, unknown, 0, 1},
		{"words one after the other", `
class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 6)
    def forward(self, x, state): return self.cell(x, state)
cells, head = Cells(), nn.Linear(6, 1)
optimizer = torch.optim.SGD([*cells.parameters(), *head.parameters()], lr=0.01)
for i in range(9):
    words, state = torch.randn(5, 1, 4), torch.zeros(1, 6)
    for k in range(5): state = cells(words[k], state)
    head(state).sum().backward()
    optimizer.step(); optimizer.zero_grad()
`, 9, 1, unknown, unknown, unknown, 0, 1},
		{"a network of no module", `
del optimizer
xs, ys = torch.randn(60, 4), torch.randint(0, 3, (60,))
w, b, table = torch.randn(12, 3), torch.zeros(3), torch.randn(9, 4)
words = torch.randint(0, 9, (60, 3))
for p in (w, b, table): p.requires_grad_()
for step in range(9):
    ix = torch.randint(0, 60, (8,))
    loss = nn.functional.cross_entropy(table[words[ix]].view(-1, 12) @ w + b, ys[ix]) + 0.01 * (w ** 2).mean()
    for p in (w, b, table): p.grad = None
    loss.backward()
    for p in (w, b, table): p.data -= 0.1 * p.grad
`, 9, 8, unknown, unknown, unknown, 0, 1},
		{"a network of no module that sees each word of its texts", `
w, table = torch.randn(4, 3), torch.randn(9, 4)
for p in (w, table): p.requires_grad_()
optimizer = torch.optim.SGD([w, table], lr=0.1)
for step in range(9):
    words, tags = torch.randint(0, 9, (8, 5)), torch.randint(0, 3, (40,))
    nn.functional.cross_entropy(table[words].view(-1, 4) @ w, tags).backward()
    optimizer.step(); optimizer.zero_grad()
`, 9, unknown, unknown, unknown, unknown, 0, 1},
		{"another network computes word by word before", `
first = nn.GRU(4, 4)
state = torch.zeros(1, 1, 4)
for k in range(5): _, state = first(torch.randn(1, 1, 4), state)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(9): learn(torch.randn(7, 4), torch.randn(7, 1))
`, 9, 7, unknown, unknown, unknown, 0, 1},
		{"losses of several computations in one", `
xs, ys = torch.randn(60, 4), torch.randn(60, 1)
for step in range(8):
    loss = 0
    for k in range(3): loss = loss + nn.functional.mse_loss(model(xs[4 * k : 4 * k + 4]), ys[4 * k : 4 * k + 4])
    loss.backward(); optimizer.step(); optimizer.zero_grad()
`, 8, unknown, unknown, unknown, unknown, 0, 1},
		{"a network that acts before it learns", `
xs, ys = torch.randn(60, 4), torch.randn(60, 1)
for step in range(10):
    for k in range(2): model(xs[k])
    if step > 1: learn(xs[:12], ys[:12])
`, 8, 12, unknown, unknown, unknown, 0, 1},
		{"a test that asks for no batch after the last", `
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
    loader = DataLoader(other, batch_size=6)
    batches = iter(loader)
    for i in range(len(loader)): model(next(batches)[0])
`, 12, 6, 4, 6, 6, 3, 1},
		{"a loader for a second loss", `
loader, also = DataLoader(data, batch_size=6), DataLoader(other, batch_size=6)
for epoch in range(2):
    more = iter(also)
    for i, (x, y) in enumerate(loader):
        if i < 2: learn(*next(more), step=False)
        learn(x, y)
`, 8, 6, 4, 6, 6, 0, 2},
		{"a loader that makes iterators of its own", `
from torch.utils.data import dataloader
class Iterator(dataloader._SingleProcessDataLoaderIter): pass
class Stateful(DataLoader):
    def _get_iterator(self): return Iterator(self)
    def __iter__(self):
        self.iterator = self._get_iterator()
        return self.iterator
loader = Stateful(data, batch_size=6)
for epoch in range(2):
    for x, y in loader: learn(x, y)
`, 8, 6, 4, 6, 6, 0, 1},
		{"steps within a step", `
class Ahead(torch.optim.Optimizer):
    def __init__(self, base):
        self.base = base
        super().__init__(base.param_groups, {})
    def step(self, closure=None):
        self.base.step(); self.base.step()
optimizer = Ahead(optimizer)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
    scheduler.step()
`, 8, 6, 4, 6, 6, 0, 1},
		{"an image of the batch in evaluation mode", `
def save_image(image, name, value_range): pass
for epoch in range(2):
    for i, (x, y) in enumerate(DataLoader(data, batch_size=6)):
        learn(x, y)
        if i == 1:
            model.eval()
            with torch.no_grad(): sample = model(x[:3])
            save_image(sample, "sample.png", value_range=(0, 1))
            model.train()
`, 8, 6, 4, 6, 6, 0, 1},
		{"a measured sample in evaluation mode", `
for epoch in range(2):
    for i, (x, y) in enumerate(DataLoader(data, batch_size=6)):
        learn(x, y)
        if i == 1:
            model.eval()
            with torch.no_grad(): sample = model(data.tensors[0])
            print("error", (sample - data.tensors[1]).abs().mean().item())
            model.train()
`, 8, 6, 4, 6, 6, 2, 1},
		{"samples one by one", `
for epoch in range(2):
    for x, y in [data[i] for i in range(5)]: learn(x, y)
`, 10, 1, 5, unknown, unknown, 0, 2},
		{"words of one sample", `
words = [(torch.tensor([1, 2, 3]), torch.tensor([[1.0]])), (torch.tensor([0, 2]), torch.tensor([[2.0]]))]
class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(4, 6), nn.Linear(6, 1)
    def forward(self, x): return self.out(self.words(x).sum(0).view(1, -1))
model = Sum()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for x, y in words: learn(x, y)
`, 6, 1, 2, unknown, unknown, 0, 1},
		{"packed sentences, words before samples", `
class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.cells = nn.Embedding(4, 6), nn.GRU(6, 1)
    def forward(self, x, lengths):
        return self.cells(nn.utils.rnn.pack_padded_sequence(self.words(x), lengths))[1][0]
model = Sum()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(4):
    model(torch.randint(4, (5, 3)), torch.tensor([5, 4, 2])).sum().backward()
    optimizer.step()
`, 4, 3, unknown, unknown, unknown, 0, 1},
		{"several steps with one batch", `
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=12):
        learn(x, y); learn(x, y)
`, 8, 12, 4, 12, unknown, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+c.body)}}, nil)
			if r.exit.Code != 0 || len(r.warnings) != 0 || len(r.models) == 0 {
				t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
			}
			m, n := r.models[len(r.models)-1], len(r.iterations)
			if n != c.n || len(r.validations) != c.validations || r.facts() != c.models {
				t.Errorf("%d iterations, %d validations, %d models; want %d, %d, %d", n, len(r.validations), len(r.models), c.n,
					c.validations, c.models)
			}
			got := units(r.iterations)
			if number(m.BatchSize) != c.batch || number(m.IterationsPerEpoch) != c.perEpoch || got[0] != c.first ||
				got[n-1] != c.last {
				t.Errorf("batch %g, per epoch %g, units %v; want %g, %g, %g … %g", number(m.BatchSize),
					number(m.IterationsPerEpoch), got, c.batch, c.perEpoch, c.first, c.last)
			}
		})
	}
}

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
