package hook

import (
	"fmt"
	"os"
	"testing"

	"sweetspot/probes/runner"
)

// A thread fetches the batches ahead, and has modules of its own, which transform the data.
func TestBatchesFetchedByAThread(t *testing.T) {
	t.Parallel()
	const text = `
import queue, sys, threading
sys.setswitchinterval(1e-4)
louder = nn.Linear(4, 4)
class Background(threading.Thread):
    def __init__(self, batches, n):
        super().__init__(daemon=True)
        self.queue, self.batches = queue.Queue(n), batches
        self.start()
    def run(self):
        for x, y in self.batches: self.queue.put((louder(x).detach(), y))
        self.queue.put(None)
    def __iter__(self):
        while (batch := self.queue.get()) is not None: yield batch
train = TensorDataset(torch.randn(100, 4), torch.randn(100, 1))
valid = DataLoader(TensorDataset(torch.randn(20, 4), torch.randn(20, 1)), batch_size=10)
for epoch in range(4):
    model.train()
    for x, y in Background(DataLoader(train, batch_size=10), %d): learn(x, y)
    model.eval()
    with torch.no_grad(): print(sum(nn.functional.mse_loss(model(x), y) for x, y in Background(valid, 1)))
`
	for _, n := range []int{1, 3, 20} {
		for _, steps := range []string{"4", "0"} { // of the first epoch, and all
			r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+fmt.Sprintf(text, n))},
				Env: append(Env(os.Getenv("PYTHONPATH")), "SWEETSPOT_MAX_STEPS="+steps)}, nil)
			want := [6]float64{4, 10, 100, 10, 4, 0}
			if steps == "0" {
				want[0], want[5] = 40, 4
			}
			if len(r.models) == 0 || len(r.warnings) > 0 {
				t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
			}
			m := r.models[len(r.models)-1]
			if got := [6]float64{float64(len(r.iterations)), number(m.BatchSize), number(m.TrainSize),
				number(m.IterationsPerEpoch), number(m.Epochs), float64(len(r.validations))}; got != want {
				t.Errorf("%d ahead, %s steps: steps, batch, samples, steps of an epoch, epochs, validations %v, want %v",
					n, steps, got, want)
			}
		}
	}
}

// A script may make several steps with each batch, as with a critic in a GAN, or with a part of it: they are those of an
// epoch before its end, too.
func TestStepsWithTheSameBatch(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]float64{ // a step's batch and steps of an epoch
		"for x, y in DataLoader(data, batch_size=6):\n    for _ in range(3): learn(x, y)\n":                {6, 12},
		"for x, y in DataLoader(data, batch_size=6):\n    for i in (0, 2, 4): learn(x[i:i+2], y[i:i+2])\n": {2, 12},
		"for x, y in DataLoader(data, batch_size=6):\n    learn(x, y)\n":                                   {6, 4},
		"for i, (x, y) in enumerate(DataLoader(data, batch_size=2)):\n    learn(x, y, i % 3 == 2)\n":       {6, 4},
	} {
		r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+body)},
			Env: append(Env(os.Getenv("PYTHONPATH")), "SWEETSPOT_MAX_STEPS=4")}, nil)
		if len(r.models) == 0 {
			t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
		}
		m := r.models[len(r.models)-1]
		if got := [2]float64{number(m.BatchSize), number(m.IterationsPerEpoch)}; got != want || len(r.iterations) != 4 {
			t.Errorf("%s%d steps, batch and steps of an epoch %g, want %g", body, len(r.iterations), got, want)
		}
	}
}

// The batches that a script draws and adds up may make a step after every so many, of any length.
func TestBatchesAddedUp(t *testing.T) {
	t.Parallel()
	const text = `
each = 3
for i in range(30):
    x = torch.randn(5, 2 + i % 4, 4)
    model(x).square().mean().backward()
    if (i + 1) % each == 0:
        optimizer.step(); optimizer.zero_grad()
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text)}}, nil)
	if len(r.models) == 0 || len(r.warnings) > 0 {
		t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
	}
	if m := r.models[len(r.models)-1]; number(m.BatchSize) != 15 {
		t.Errorf("batch %g, want 15", number(m.BatchSize))
	}
}

// Where steps after some batches run on from pass to pass, passes have more and fewer of them in turns; where they begin
// again, each has as many as the first. One that ended had as many as it had.
func TestStepsThatRunOn(t *testing.T) {
	t.Parallel()
	const text = `
import sys
loader, k = DataLoader(data, batch_size=5), 0
for epoch in range(3):
    if sys.argv[1] == "again": k = 0
    for x, y in loader:
        k += 1
        learn(x, y, step=k % 2 == 0)
`
	for _, c := range []struct {
		way             string
		steps           int
		perEpoch, units float64
	}{
		{"on", 4, 2.5, 10}, {"on", 7, 7.0 / 3, 10}, {"again", 4, 2, 10},
	} {
		env := Env(os.Getenv("PYTHONPATH"))
		if c.steps < 7 {
			env = append(env, End(c.steps)...)
		}
		argv := []string{torch(t), script(t, preamble+text), c.way}
		r := watch(t, runner.Command{Argv: argv, Env: env}, nil)
		if len(r.iterations) != c.steps || len(r.warnings) > 0 {
			t.Fatalf("%s: %d steps, exit %+v, warnings %q, stderr %q", c.way, len(r.iterations), r.exit, r.warnings, r.stderr)
		}
		m := r.models[len(r.models)-1]
		if number(m.IterationsPerEpoch) != c.perEpoch || number(m.BatchSize) != c.units {
			t.Errorf("%s, %d steps: %g an epoch of batches of %g, want %g of %g", c.way, c.steps,
				number(m.IterationsPerEpoch), number(m.BatchSize), c.perEpoch, c.units)
		}
	}
}

// Two loaders may give the steps their batches in turns: then an epoch is a pass over the first of them.
func TestLoadersInTurns(t *testing.T) {
	t.Parallel()
	const text = `
a = DataLoader(data, batch_size=6)
b = DataLoader(TensorDataset(torch.randn(20, 4), torch.randn(20, 1)), batch_size=6)
def endless(loader):
    while True: yield from loader
`
	for body, want := range map[string][4]float64{ // steps, batch, samples and steps of an epoch
		`
first, second = endless(a), endless(b)
for step in range(20): learn(*next(second if step % 2 else first))
`: {20, 6, 24, 8},
		`
for epoch in range(3):
    first, second = iter(a), iter(b)
    for i in range(len(a)):
        learn(*next(first))
        learn(*next(second))
`: {24, 6, 24, 8},
		`
for epoch in range(3):
    for x, y in a: learn(x, y)
    for x, y in b: learn(x, y)
`: {24, 6, 20, 4}, // one after the other: each pass is an epoch, the last of the other loader
	} {
		r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text+body)}}, nil)
		if len(r.models) == 0 || len(r.warnings) > 0 {
			t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
		}
		m := r.models[len(r.models)-1]
		got := [4]float64{float64(len(r.iterations)), number(m.BatchSize), number(m.TrainSize), number(m.IterationsPerEpoch)}
		if got != want {
			t.Errorf("%s: steps, batch, samples and steps of an epoch %v, want %v", body, got, want)
		}
	}
}

// A network may be given a list of objects, as of graphs, each of which has tensors: they are the samples.
func TestBatchOfObjects(t *testing.T) {
	t.Parallel()
	const text = `
class Graph:
    def __init__(self, n): self.nodes = torch.randn(n, 4)
class OfGraphs(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
    def forward(self, graphs): return torch.stack([self.layer(g.nodes).sum() for g in graphs])
graphs = [Graph(3 + n % 5) for n in range(40)]
model = OfGraphs()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(5): learn([graphs[k] for k in torch.randperm(40)[:16]], torch.zeros(16))
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text)}}, nil)
	if len(r.models) == 0 || len(r.warnings) > 0 {
		t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
	}
	if m := r.models[len(r.models)-1]; number(m.BatchSize) != 16 || len(r.iterations) != 5 {
		t.Errorf("batch %g, %d iterations", number(m.BatchSize), len(r.iterations))
	}
}

// A loop that counts steps may make several of the optimizer's in each round, as a critic's with a penalty does.
func TestRoundsOfSeveralSteps(t *testing.T) {
	t.Parallel()
	const text = `
def endless(loader):
    while True: yield from loader
batches = endless(DataLoader(data, batch_size=6))
for step in range(30):
    x, y = next(batches)
    learn(x, y)
`
	for more, want := range map[string]float64{
		"    learn(x, y)\n": 60, "    if step % 3 == 0: learn(x, y)\n": 30, // as far as is known
	} {
		r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text+more)},
			Env: append(Env(os.Getenv("PYTHONPATH")), "SWEETSPOT_MAX_STEPS=24")}, nil)
		if len(r.models) == 0 || len(r.warnings) > 0 {
			t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
		}
		if m := r.models[len(r.models)-1]; number(m.Steps) != want || len(r.iterations) != 24 {
			t.Errorf("%s: %g steps asked for, want %g; %d made", more, number(m.Steps), want, len(r.iterations))
		}
	}
}

// The splits of the data that a loop in each epoch goes over are no passes over the training set, if a step is made
// with one of them alone.
func TestSplitsInAnEpoch(t *testing.T) {
	t.Parallel()
	const text = `
splits = ["train", "valid", "test"]
for epoch in range(4):
    for split in splits:
        loader = DataLoader(data if split == "train" else other, batch_size=6, shuffle=split == "train")
        model.train() if split == "train" else model.eval()
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(model(x), y)
            if split == "train":
                optimizer.zero_grad(); loss.backward(); optimizer.step()
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text)}}, nil)
	if len(r.models) == 0 || len(r.warnings) > 0 {
		t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
	}
	for _, m := range r.models {
		got := [3]float64{number(m.Epochs), number(m.TrainSize), number(m.IterationsPerEpoch)}
		if want := [3]float64{4, 24, 4}; got != want {
			t.Errorf("epochs, samples and steps of an epoch %v, want %v", got, want)
		}
	}
	if len(r.iterations) != 16 || len(r.validations) < 4 {
		t.Errorf("%d steps, %d validations", len(r.iterations), len(r.validations))
	}
}

// Where a program calls a network's forward itself, the first part that is called may be given more than the batch.
func TestBatchOfAPart(t *testing.T) {
	t.Parallel()
	const text = `
class Items(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(50, 4)
    def forward(self, x, sampled):
        found = self.items(torch.cat([x, sampled]))
        return found[: len(x)] @ found.T
model = Items()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def parts():
    for n in (8, 8, 4): yield torch.randint(50, (n,))
for epoch in range(3):
    for x in parts():
        scores = model%s(x, torch.randint(50, (24,)))
        nn.functional.cross_entropy(scores, torch.arange(len(x))).backward()
        optimizer.step()
`
	for call, want := range map[string][2]float64{"": {8, 20}, ".forward": {unknown, unknown}} {
		r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+fmt.Sprintf(text, call))}}, nil)
		if len(r.models) == 0 || len(r.warnings) > 0 || len(r.iterations) != 9 {
			t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
		}
		m := r.models[len(r.models)-1]
		if got := [2]float64{number(m.BatchSize), number(m.TrainSize)}; got != want {
			t.Errorf("model%s: batch and samples %g, want %g", call, got, want)
		}
	}
}

// A loader may take the place in memory of one that is gone: it is another one all the same.
func TestNumbersOfLoaders(t *testing.T) {
	t.Parallel()
	says(t, "True True 65\n", script(t, `
from sweetspot_hook import loaders

class Loader: pass

reused, seen, kept = False, {}, [Loader() for _ in range(65)]
for _ in range(500):
    loader = Loader()
    reused = reused or id(loader) in seen
    seen.setdefault(id(loader), set()).add(loaders.number(loader))
    assert loaders.number(loader) == loaders.number(loader)
    del loader
print(reused, sum(map(len, seen.values())) == 500, len({loaders.number(one) for one in kept + kept}))
`))
}
