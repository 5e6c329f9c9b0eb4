package hook

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sweetspot/probes/runner"
)

// prints runs a script that asks the hook about programs, and needs no PyTorch.
func prints(t *testing.T, script, want string) {
	t.Helper()
	says(t, want, "../frameworks/scripts/"+script)
}

// says runs Python with these arguments, where it can ask the hook.
func says(t *testing.T, want string, argv ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "python3", argv...)
	c.Env = append(c.Environ(), "PYTHONPATH=python", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := c.CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

// Steps are counted by the loop that the step is in, or by a name that means nothing else. Of a
// number that may mean another thing, as in a rollout, and of parts of steps nothing is told.
func TestStepsOfALoop(t *testing.T) {
	t.Parallel()
	const want = `counted: 6 steps, None epochs
until: 7 steps, None epochs
nanogpt: 5 steps, None epochs
stream: 4 steps, None epochs
sliced: 3 steps, None epochs
named: 8 steps, None epochs
rollout: None steps, None epochs
accumulated: None steps, None epochs
accumulated_by_name: None steps, None epochs
limited_by_name: 8 steps, 3 epochs
both: 6 steps, 5 epochs
last: 9 steps, None epochs
beyond: 10 steps, None epochs
across: 7 steps, 5 epochs
within: None steps, 5 epochs
unclear: None steps, None epochs
sized: 7 steps, None epochs
acting: None steps, None epochs
numbered: 20 steps, None epochs
from_one: 20 steps, None epochs
passed: 22 steps, None epochs
numbered_later: 20 steps, None epochs
counts_by_name: None steps, 3 epochs
summed: 7 steps, None epochs
left: 9 steps, None epochs
resumed: None steps, 4 epochs
held: 6 steps, None epochs
shown: None steps, 4 epochs
whole_set: None steps, 12 epochs
rows_of_epoch: None steps, None epochs
waits_for_a_number: 70 steps, None epochs
waits_above: 80 steps, None epochs
waits_for_data: None steps, None epochs
passes_over: None steps, None epochs
waits_within: None steps, None epochs
waits_for_a_counter: None steps, None epochs
waits_before: 12 steps, None epochs
waits_for_epochs: None steps, None epochs
waits_for_rounds: None steps, 30 epochs
worked_out: 10 steps, 5 epochs
goes_on: 70 steps, None epochs
without_end: None steps, None epochs
tasks: 1500 steps, None epochs
flagged: 13 steps, None epochs
all_steps: 24 steps, 4 epochs
itr: 8 steps, None epochs
last_named: 18 steps, None epochs
divided: 8 steps, None epochs
counted_beside: 8 steps, None epochs
parts_counted: None steps, None epochs
by_one: 6 steps, None epochs
from_zero: 7 steps, None epochs
before_the_next: 6 steps, None epochs
by_a_letter: 7 steps, None epochs
by_a_letter_alone: None steps, None epochs
shown_each: None steps, None epochs
by_a_float: 6 steps, None epochs
in_parts_by_name: 6 steps, None epochs
ends_before: 6 steps, None epochs
ends_around: 20 steps, 6 epochs
`
	prints(t, "steps_by_loop.py", want)
}

// A loop over a number of epochs counts them, whatever its variable is called, and where a step is right in it, too.
func TestStepsOfAnEpochOfALoop(t *testing.T) {
	t.Parallel()
	const asks = `
import sys
from sweetspot_hook import epoch_loop, epochs

def step():
    return epoch_loop.find(epochs.frames_of(sys._getframe(1))).per_epoch()

num_epochs, per_epoch = 3, 4
for i in range(num_epochs): a = step()
for k in range(num_epochs):
    for i in range(per_epoch): b = step()
for i in range(7): c = step()
for i in range(num_epochs * per_epoch): d = step()
print(a, b, c, d)
`
	says(t, "1 4 None None\n", script(t, asks))
}

// What was installed into any folder is a library; the program and what lies beside it are none.
func TestLibrariesInAnyFolder(t *testing.T) {
	t.Parallel()
	const module = "import sys\ndef frame(): return sys._getframe()\n"
	const asks = "import sys\nsys.path.append(sys.argv[1])\nimport installed, own\n" +
		"from sweetspot_hook import syntax\n" +
		"print(*(syntax.is_installed(f) for f in (sys._getframe(), own.frame(), installed.frame())))\n"
	program, packages := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(program, "main.py"): asks, filepath.Join(program, "own.py"): module,
		filepath.Join(packages, "installed.py"): module,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{program, packages} {
		if err := os.Mkdir(filepath.Join(folder, "installed-1.0.dist-info"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	says(t, "False False True\n", filepath.Join(program, "main.py"), packages)
}

// Where no loop tells the number of steps it follows from the rounds of the outermost one, as long
// as all of them make as many.
func TestStepsByPace(t *testing.T) {
	t.Parallel()
	const want = `rollouts: 72 steps told, at first after 12, 72 done
counted_before: 60 steps told, at first after 12, 60 done
counted_after: 72 steps told, at first after 12, 72 done
replayed: 37 steps told, at first after 10, 37 done
backwards: 20 steps told, at first after 10, 20 done
early: 16 steps told, at first after 12, 16 done
changing: 0 steps told, at first after 12, 84 done
played: 30 steps told, at first after 12, 30 done
until_solved: None steps told, at first after None, 120 done
unknown: None steps told, at first after None, 36 done
alone: None steps told, at first after None, 4 done
`
	prints(t, "steps_by_pace.py", want)
}

// Epochs are counted by a loop, whatever the number is called.
func TestEpochsOfALoop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		way    string
		epochs float64
	}{{"arguments", 3}, {"of_a_class", 4}, {"called", 2}, {"folds", 3}, {"all_folds", 6}, {"split", 24}, {"some_folds", 3},
		{"updates", 2}, {"updates_alone", unknown},
		{"unclear", unknown}, {"steps", unknown}} {
		t.Run(c.way, func(t *testing.T) {
			r := run(t, "epochs_by_loop.py", c.way)
			if (len(r.warnings) != 0) != (c.way == "some_folds") || r.exit.Code != 0 || len(r.models) == 0 {
				t.Fatalf("warnings %q, exit %+v, stderr %q", r.warnings, r.exit, r.stderr)
			}
			got := unknown + 0.0
			if n := r.models[0].Epochs; n != nil {
				got = *n
			}
			if got != c.epochs {
				t.Errorf("%g epochs, want %g", got, c.epochs)
			}
			if n := r.models[0].Steps; (n != nil) != (c.way == "steps") || n != nil && *n != 5 {
				t.Errorf("%g steps", number(n))
			}
		})
	}
}

// A program whose only loop is one pass over its loader trains for one epoch, if its text has no other training.
func TestOnePass(t *testing.T) {
	t.Parallel()
	const loader = preamble + "loader = DataLoader(data, batch_size=6)\n"
	const again = "class Again:\n    def __init__(self): self.own = loader\n    def __iter__(self):\n" +
		"        for k in range(2): yield from self.own\n"
	for source, want := range map[string]float64{
		"for x, y in loader: learn(x, y)":                                                                1,
		"for i, (x, y) in enumerate(loader): learn(x, y)":                                                1,
		"def train():\n    for x, y in loader: learn(x, y)\ntrain()":                                     1,
		"def train():\n    for x, y in loader: learn(x, y)\ntrain()\nmodel.eval()\ntrain()":              unknown,
		"for x, y in loader: learn(x, y)\nfor x, y in DataLoader(other, 6): learn(x, y)":                 unknown,
		"for x, y in loader: learn(x, y)\nfor k in range(4): (model(x) ** 2).mean().backward()":          unknown,
		"for x, y in loader: learn(x, y)\ndef retrain(): pass\nretrain()":                                unknown,
		again + "for x, y in Again(): learn(x, y)":                                                       unknown,
		"def train():\n    for x, y in loader: learn(x, y)\nfor part in range(3): train()":               3,
		"while len(loader) > 3:\n    for x, y in loader: learn(x, y)\n    if model(x).sum() < 99: break": unknown,
	} {
		r := watch(t, runner.Command{Argv: []string{torch(t), script(t, loader+source)}}, nil)
		if r.exit.Code != 0 || len(r.models) == 0 {
			t.Fatalf("%s\nexit %+v, stderr %q", source, r.exit, r.stderr)
		}
		if got := number(r.models[0].Epochs); got != want {
			t.Errorf("%s\n%g epochs, want %g", source, got, want)
		}
	}
}

// A program of one's own may be in a folder that is named like PyTorch's.
func TestEpochsInAFolderNamedTorch(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../frameworks/scripts/epochs_by_loop.py")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "torch")
	file := filepath.Join(folder, "train.py")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	r := watch(t, runner.Command{Argv: []string{torch(t), file, "arguments"}}, nil)
	if r.exit.Code != 0 || len(r.models) == 0 || number(r.models[0].Epochs) != 3 {
		t.Errorf("exit %+v, stderr %q, models %+v", r.exit, r.stderr, r.models)
	}
}

// passes tells at each step to how many batches its pass over the loader is cut, and counts those of every pass.
const passes = `
import sys
from itertools import islice
from sweetspot_hook import epochs, steps
told, rounds, loader = set(), 0, [0.0] * 20
def step():
    global rounds
    rounds += 1
    told.add(steps.of_pass(epochs.frames_of(sys._getframe(1)), id(loader)))
path = sys.argv[1]
names = dict(step=step, loader=loader, islice=islice, limit=5, none=0, dry=True, loss=1.0)
exec(compile(open(path).read(), path, "exec"), names)
print(*told, "of", rounds)
`

// A program that breaks off every pass over its loader says so in its text. Where a break hangs on
// what only its run tells, nothing is told of it.
func TestPassesCutShort(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"for i, x in enumerate(loader):\n    if i >= 3: break\n    step()":                                     "3 of 3",
		"for i, x in enumerate(loader):\n    step()\n    if i == 3: break":                                     "4 of 4",
		"for i, x in enumerate(loader):\n    step()\n    if limit and i + 1 >= limit: break":                   "5 of 5",
		"for i, x in enumerate(loader):\n    step()\n    if none and i + 1 >= none: break":                     "None of 20",
		"for i, x in enumerate(loader, 1):\n    step()\n    if i > limit: break":                               "6 of 6",
		"for i, x in enumerate(loader):\n    step()\n    if i % 10 == 9: break":                                "10 of 10",
		"for i, x in enumerate(loader):\n    step()\n    if i % 4 == 0:\n        if dry: break":                "1 of 1",
		"for i, x in enumerate(loader):\n    step()\n    if i > 30: break":                                     "32 of 20",
		"for i, x in enumerate(loader):\n    step()\n    loss -= 0.1\n    if loss < 0.45: break":               "None of 6",
		"for i, x in enumerate(loader):\n    for y in [1, 2]:\n        if y == 2: break\n    step()":           "None of 20",
		"def train():\n    for i, x in enumerate(loader):\n        step()\n        if i == 3: return\ntrain()": "4 of 4",
		"for x in islice(loader, 6): step()":                                                                   "6 of 6",
		"for i, x in zip(range(7), loader): step()":                                                            "7 of 7",
		"for x in loader: step()": "None of 20",
	} {
		if got := inText(t, passes, source); got != want {
			t.Errorf("%s\ntold %s, not %s", source, got, want)
		}
	}
}

// someBatches tells at each step how many a pass over its loader has, and counts them.
const someBatches = `
import sys
from sweetspot_hook import epochs, remainders
told, steps, loader = set(), 0, [0.0] * 20
def step():
    global steps
    steps += 1
    told.add(remainders.in_pass(epochs.frames_of(sys._getframe(1)), id(loader), len(loader)))
path = sys.argv[1]
exec(compile(open(path).read(), path, "exec"), dict(step=step, loader=loader, n=3, on=True, loss=1.0,
    k=0, tqdm=lambda over, total: over))
print(*told, "of", steps)
`

// A program that makes a step after every so many batches says in its text how many a pass has. Where
// its condition hangs on what only its run tells, nothing is told of it.
func TestStepsAfterSomeBatches(t *testing.T) {
	t.Parallel()
	const loop = "for i, x in enumerate(loader):\n    "
	for source, want := range map[string]string{
		loop + "if (i + 1) % n == 0: step()":                                                                    "6 of 6",
		loop + "if i % n == 0: step()":                                                                          "7 of 7",
		loop + "if (i + 1) % n == 0 or i == len(loader) - 1: step()":                                            "7 of 7",
		loop + "if i % 4 == 0 or i == len(loader) - 1:\n        step()":                                         "6 of 6",
		loop + "if not on: pass\n    elif (i + 1) % n == 0: step()":                                             "6 of 6",
		loop + "if i % n: pass\n    else: step()":                                                               "7 of 7",
		"for i, x in enumerate(loader, 1):\n    if i % n == 0: step()":                                          "6 of 6",
		"for i, x in tqdm(enumerate(loader, start=1), total=9):\n    if i % n == 0: step()":                     "6 of 6",
		"num_update_steps_per_epoch = len(loader)\nfor x in loader:\n    k += 1\n    if k % n == 0: step()":     "None of 6",
		"def update(every):\n    if every: step()\n" + loop + "update(every=(i + 1) % n == 0)":                  "6 of 6",
		"def update(every):\n    if not on: pass\n    elif every: step()\n" + loop + "update(every=i % n == 0)": "7 of 7",
		loop + "if on: step()":                                                                     "None of 20",
		loop + "if i == 1: continue\n    if i % n == 0: step()":                                    "None of 7",
		loop + "loss -= 0.1\n    if i % n == 0 and loss > 0: step()":                               "None of 4",
		"k = 0\nfor x in loader:\n    k += 1\n    if k % n == 0: step()":                           "None of 6",
		loop + "if i % n == 0:\n        for y in [1, 2]: step()":                                   "None of 14",
		"def train():\n    for i, x in enumerate(loader):\n        if i % n == 0: step()\ntrain()": "7 of 7",
	} {
		if got := inText(t, someBatches, source); got != want {
			t.Errorf("%s\ntold %s, not %s", source, got, want)
		}
	}
}
