package hook

import (
	"math"
	"os"
	"testing"

	"sweetspot/probes/runner"
)

// The samples of an epoch that no loader gives: they are cut by hand, are the entries of a list, or
// parts of the columns of a long text.
func TestSamplesOfNoLoader(t *testing.T) {
	t.Parallel()
	const text = `
class Next(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.cells, self.out = nn.Embedding(9, 4), nn.GRU(4, 4), nn.Linear(4, 9)
    def forward(self, x): return self.out(self.cells(self.table(x))[0])
model = Next()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def next_of(words, n):
    for epoch in range(9):
        for k, i in enumerate(range(0, words.size(0) - 1, n)):
            seen, to_come = words[i : i + n], words[i + 1 : i + n + 1]
            nn.functional.cross_entropy(model(seen).view(-1, 9), to_come.reshape(-1)).backward()
            optimizer.step(); optimizer.zero_grad()
`
	const batches = `
class Batches:
    def __init__(self, samples, batch_size): self.samples, self.batch_size, self.at = samples, batch_size, 0
    def __len__(self): return -(-len(self.samples) // self.batch_size)
    def __iter__(self): return self
    def __next__(self):
        if self.at == len(self):
            self.at = 0
            raise StopIteration
        self.at += 1
        return torch.stack(self.samples[(self.at - 1) * self.batch_size : self.at * self.batch_size])
def go_over(batches):
    for epoch in range(9):
        for x in batches: learn(x, x[:, :1])
`
	for body, want := range map[string][2]float64{ // samples and steps of an epoch
		`
xs, ys = torch.randn(50, 4), torch.randn(50, 1)
for epoch in range(9):
    for i in range(0, len(xs), 20): learn(xs[i : i + 20], ys[i : i + 20])
`: {50, 3},
		`
pairs = [(torch.randn(1, 4), torch.randn(1, 1)) for _ in range(7)]
for epoch in range(9):
    for x, y in pairs: learn(x, y)
`: {7, 7},
		`
xs, ys = [torch.randn(8, 4) for _ in range(6)], [torch.randn(8, 1) for _ in range(6)]
for epoch in range(9):
    for x, y in zip(xs, ys): learn(x, y)
`: {48, 6},
		`
xs, ys = torch.randn(50, 4).split(12), torch.randn(50, 1).split(12)
for epoch in range(9):
    for x, y in zip(xs, ys): learn(x, y)
`: {50, 5},
		`
xs, ys = torch.randn(50, 4).split(12), torch.randn(50, 1).split(12)
order = [3, 1, 2, 0]
for epoch in range(9):
    for i in order: learn(xs[i], ys[i])
`: {unknown, 4},
		batches + `
go_over(Batches([torch.randn(4) for _ in range(50)], 20))
`: {50, 3},
		batches + `
batches = Batches([torch.randn(4) for _ in range(60)], 20)
batches.names = [""] * 52 # which of the two is the set?
go_over(batches)
`: {unknown, 3},
		text + `
next_of(torch.randint(0, 9, (31, 6)), 10)
`: {18, 3},
		text + `
next_of(torch.randint(0, 9, (220001, 6)), 2)
`: {unknown, unknown}, // more rounds than are looked at
	} {
		for _, steps := range []string{"2", "12"} { // within the first epoch, and after whole ones
			r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)},
				Env: append(Env(os.Getenv("PYTHONPATH")), "SWEETSPOT_MAX_STEPS="+steps)}, nil)
			if len(r.models) == 0 || len(r.warnings) > 0 {
				t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
			}
			m := r.models[len(r.models)-1]
			if got := [2]float64{number(m.TrainSize), number(m.IterationsPerEpoch)}; got != want {
				t.Errorf("%s steps of%s: %g samples and steps of an epoch, want %g", steps, body, got, want)
			}
		}
	}
}

// Of a generator's batches it shows when an epoch is over how many samples they have, if one is smaller.
func TestSamplesOfAGenerator(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]float64{ // samples and steps of an epoch
		`
def parts(xs, n):
    order = torch.randperm(len(xs))
    while len(order):
        yield xs[order[:n]]
        order = order[n:]
xs = torch.randn(50, 4)
for epoch in range(9):
    for x in parts(xs, 20): learn(x, x[:, :1])
`: {50, 3},
		`
def parts(xs, n):
    for k in range(len(xs) // n): yield xs[k * n : k * n + n] # and ten are left out
xs = torch.randn(50, 4)
for epoch in range(9):
    for x in parts(xs, 20): learn(x, x[:, :1])
`: {unknown, 2},
		`
def parts(xs):
    for x in xs.split(20): yield x
xs = torch.randn(50, 4)
for epoch in range(9):
    for x in parts(xs):
        model(x) # in training mode, and with gradients: which of the two is the batch?
        learn(x, x[:, :1])
`: {unknown, 3},
	} {
		r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)},
			Env: append(Env(os.Getenv("PYTHONPATH")), "SWEETSPOT_MAX_STEPS=12")}, nil)
		if len(r.models) == 0 || len(r.warnings) > 0 {
			t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
		}
		m := r.models[len(r.models)-1]
		if got := [2]float64{number(m.TrainSize), number(m.IterationsPerEpoch)}; got != want {
			t.Errorf("%s: %g samples and steps of an epoch, want %g", body, got, want)
		}
	}
}

// A sampler may repeat a sample to fill the last batch up; what it draws twice is drawn twice.
func TestSamplesOfFullBatches(t *testing.T) {
	t.Parallel()
	for batches, want := range map[string]float64{
		"[[0, 1], [2, 3], [4, 0]]":         5,
		"[[0, 1], [2, 3], [4]]":            5,
		"[[0, 1], [2, 3], [4, 0], [1, 2]]": 8,
	} {
		body := `
from torch.utils.data import TensorDataset
five = TensorDataset(torch.randn(5, 4), torch.randn(5, 1))
for epoch in range(3):
    for x, y in DataLoader(five, batch_sampler=` + batches + `): learn(x, y)
`
		r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)}, Env: Env(os.Getenv("PYTHONPATH"))},
			nil)
		if len(r.models) == 0 {
			t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
		}
		if got := number(r.models[len(r.models)-1].TrainSize); got != want {
			t.Errorf("%s: %g samples, want %g", batches, got, want)
		}
	}
}

// Rounds of a loop over epochs may have different numbers of steps, and the first of them none: once it is over, an
// epoch has as many as are made in a round on average.
func TestRoundsWithFewerSteps(t *testing.T) {
	t.Parallel()
	const text = `
seen = 0
for game in range(6):
    while True:
        seen += 1
        if seen > 4: learn(*data[0])
        if seen in (3, 5, 9, 12, 19, 24): break
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text)}}, nil)
	if len(r.models) == 0 || len(r.warnings) > 0 {
		t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
	}
	m := r.models[len(r.models)-1]
	if n := number(m.IterationsPerEpoch); len(r.iterations) != 20 || number(m.Epochs) != 6 || math.Abs(n-20.0/6) > 1e-9 {
		t.Errorf("%d steps, %g epochs of %g", len(r.iterations), number(m.Epochs), n)
	}
}

// The items of a loader may be whole batches, as in DLRM: then its batch size of one is none. Nor is it where the
// network is given as many rows, and its loss does not tell of what.
func TestItemsThatAreBatches(t *testing.T) {
	t.Parallel()
	const text = `
class Batches(torch.utils.data.Dataset):
    def __init__(self, n): self.n = n
    def __len__(self): return 5
    def __getitem__(self, i):
        if i >= 5: raise IndexError
        n = self.n if i < 4 else 3
        return torch.randn(n, 4), torch.randn(n, 1)
loader = DataLoader(Batches(8), batch_size=1, collate_fn=lambda batch: batch[0])
`
	for body, want := range map[string][3]float64{ // batch, samples and steps of an epoch
		"for epoch in range(3):\n    for x, y in loader: learn(x, y)\n":             {8, 35, 5},
		"for epoch in range(3):\n    for x, y in loader: learn(x[None], y[None])\n": {1, 5, 5},
		`
for epoch in range(3):
    for x, y in loader:
        model(x).square().max().backward()
        optimizer.step()
`: {unknown, unknown, 5},
	} {
		r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text+body)}}, nil)
		if len(r.models) == 0 || len(r.warnings) > 0 || len(r.iterations) != 15 {
			t.Fatalf("%d steps, exit %+v, warnings %q, stderr %q", len(r.iterations), r.exit, r.warnings, r.stderr)
		}
		m := r.models[len(r.models)-1]
		got := [3]float64{number(m.BatchSize), number(m.TrainSize), number(m.IterationsPerEpoch)}
		if got != want {
			t.Errorf("%s: batch, samples and steps of an epoch %g, want %g", body, got, want)
		}
	}
}
