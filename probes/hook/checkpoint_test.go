package hook

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/steady"
	"sweetspot/engine/training"
	"sweetspot/probes/report"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
)

// A script that writes checkpoints is probed for a part of its epochs, without
// a word in it that knows of probes, and its whole time is told from that:
// checkpoints included, in the same seconds wherever they are asked for. What
// else the machine does may spoil a measurement; four in a row it does not.
func TestTheTimeOfATrainingHoldsItsCheckpoints(t *testing.T) {
	python := torch(t)
	for name, c := range map[string]struct {
		every    int
		seconds  float64 // that each waits for its disk
		watched  int     // epochs
		epochs   int
		expected string
	}{
		"fast, every epoch":        {1, 0, 3, 8, "with 8 checkpoints of "},
		"slow, every epoch":        {1, 0.3, 3, 10, "with 10 checkpoints of "},
		"slow, every second epoch": {2, 0.4, 5, 12, "with 6 checkpoints of "},
	} {
		t.Run(name, func(t *testing.T) {
			var misses []string
			for range 4 {
				argv := []string{python, "../frameworks/scripts/savers.py", filepath.Join(t.TempDir(), "model.pt"),
					fmt.Sprint(c.epochs),
					fmt.Sprint(c.every), fmt.Sprint(c.seconds)}
				r, even := probeEpochs(t, argv, c.watched)
				if !even {
					misses = append(misses, "the epochs differ")
					continue
				}
				words := training.PausesOf(r).Words(float64(c.epochs))
				if !strings.HasPrefix(words, c.expected) {
					t.Fatalf("%s; pauses %+v", words, r.Pauses)
				}
				r.InitS, r.ExitS = new(0.0), nil // the script times what comes between
				took := alone(t, argv)
				e := training.Training(r, float64(c.epochs), nil)
				bare := r
				bare.Pauses = nil
				without := training.Training(bare, float64(c.epochs), nil)
				if least := float64(c.epochs/c.every) * c.seconds; e.Value-without.Value < least {
					t.Fatalf("the checkpoints wait for %g s, and are in the time with %g s", least, e.Value-without.Value)
				}
				t.Logf("took %.2f s, predicted %.2f s (%.2f … %.2f), without checkpoints %.2f s; %s", took, e.Value, e.Low, e.High,
					without.Value, words)
				const probed = 0.01 // what being watched may cost
				if (1-probed)*e.Low <= took && took <= (1+probed)*e.High {
					return
				}
				misses = append(misses, fmt.Sprintf("took %.2f s, predicted %.2f s (%.2f … %.2f)", took, e.Value, e.Low, e.High))
			}
			t.Errorf("four times spoilt or outside the interval: %s", strings.Join(misses, "; "))
		})
	}
}

// What a script prints between a validation and the checkpoint after it came after the
// validation: this one ended before the other began.
func TestAValidationEndsBeforeItsCheckpoint(t *testing.T) {
	r := run(t, "saved_before_training.py")
	if len(r.validations) != 3 || len(r.pauses) != 3 || r.exit.Code != 0 {
		t.Fatalf("%d validations, %d pauses, exit %+v, stderr %q", len(r.validations), len(r.pauses), r.exit, r.stderr)
	}
	for i, v := range r.validations[:2] { // after the last one nothing trains
		p := r.pauses[i]
		if begun := *p.T - p.Seconds; p.Seconds < 0.3 || *v.T-v.Seconds > begun || *v.T > begun+0.1 {
			t.Errorf("the validation at %.3f s, which lasted %.3f s, did not end before %.3f s", *v.T, v.Seconds, begun)
		}
	}
}

// Data that a program keeps before it has an optimizer are no checkpoint, and scores never are;
// weights are, those of a process that trains in others, too.
func TestKeptDataAreNoCheckpoint(t *testing.T) {
	t.Parallel()
	const kept = "import torch\ntorch.save({'rows': torch.randn(9, 4)}, 'rows.pt')\n"
	const own = "torch.save({'net': torch.nn.Linear(2, 1).state_dict()}, 'own.pt')\n"
	const weights = "torch.save(model.state_dict(), 'first.pt')\nfor i in range(6): learn(*data[i])\n"
	const pickled = "import pickle\npickle.dump({'net': model}, open('net.pkl', 'wb'))\npickle.dump([0.1], open('0.pkl', 'wb'))\n"
	const scores = "torch.save({'name': 'net', 'scores': [0.1, 0.2], 'best': 1}, 'scores.pt')\n" +
		"torch.save({'accuracy': torch.ones(2).numpy().mean()}, 'mean.pt')\n"
	const found = "import argparse\na = argparse.Namespace(rate=0.1, sizes=[1, 2], device=torch.device('cpu'))\n" +
		"torch.save({'found': torch.ones(2).numpy(), 'on': a}, 'found.pt')\ntorch.save(a, 'arguments.pt')\n"
	const named = "w = model.weight.data.clone()\nw.sharded = True\ntorch.save({'weight': w}, 'named.pt')\n"
	const arrays = "torch.save({k: v.numpy() for k, v in model.state_dict().items()}, 'arrays.pt')\n"
	const tensors = "torch.save(torch.ones(9), 'log.pt')\ntorch.save(nn.Flatten().state_dict(), 'none.pt')\n" +
		"torch.save(model.weight, 'weight.pt')\n"
	text := script(t, kept+own+preamble+weights+pickled+scores+found+named+arrays+tensors)
	r := watch(t, runner.Command{Dir: t.TempDir(), Argv: []string{torch(t), text}}, nil)
	if len(r.pauses) != 6 || len(r.iterations) != 6 || r.exit.Code != 0 {
		t.Errorf("%d pauses, %d iterations, exit %+v, stderr %q", len(r.pauses), len(r.iterations), r.exit, r.stderr)
	}
}

// A checkpoint is one of the best network where the text around it, in the loop, asks for that.
func TestCheckpointsOfTheBest(t *testing.T) {
	t.Parallel()
	const text = `
class Stopper:
    best = None
    def __call__(self, loss):
        if self.best is None or loss < self.best:
            self.best = loss
            self.write()
    def write(self):
        torch.save(model.state_dict(), "stopper.pt")

def save_best(): torch.save(model.state_dict(), "named.pt")
def plain(): torch.save(model.state_dict(), "plain.pt")

stopper, best_of_all, only_best, min_loss, min_epochs = Stopper(), True, False, 9.0, 0
if best_of_all:
    for epoch in range(2):
        for i in range(3): learn(*data[i])
        loss = 1.0 - epoch / 10
        stopper(loss)
        save_best()
        if loss < min_loss: torch.save(model.state_dict(), "lowest.pt")
        plain()
        if epoch >= min_epochs: torch.save(model.state_dict(), "late.pt")
        if loss < min_loss or best_of_all: torch.save(model.state_dict(), "all.pt")
        if only_best: pass
        else: torch.save(model.state_dict(), "each.pt")
        if loss > min_loss: pass
        else: torch.save(model.state_dict(), "no_worse.pt")
        if not best_of_all: pass
        else: torch.save(model.state_dict(), "not_off.pt")
`
	r := watch(t, runner.Command{Dir: t.TempDir(), Argv: []string{torch(t), script(t, preamble+text)}}, nil)
	var got []string
	for _, p := range r.pauses {
		got = append(got, p.Kind)
	}
	const best, every = "best checkpoint", "checkpoint"
	want := slices.Repeat([]string{best, best, best, every, every, every, every, best, best}, 2)
	if !slices.Equal(got, want) || r.exit.Code != 0 {
		t.Errorf("%q, exit %+v, stderr %q", got, r.exit, r.stderr)
	}
}

// What a pipeline of diffusers draws in a training is a pause of it; its parts need not be in evaluation mode.
func TestPicturesOfAPipeline(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "diffusers", "pipelines")
	const pipeline = "class DiffusionPipeline:\n    def register_modules(self, **parts): self.parts = parts\n"
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "pipeline_utils.py"), []byte(pipeline), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = `
import time
from diffusers.pipelines.pipeline_utils import DiffusionPipeline
class Pipeline(DiffusionPipeline):
    def __init__(self, net): self.register_modules(net=net)
    @torch.no_grad()
    def __call__(self, n):
        time.sleep(0.2)
        if model.training: torch.save(model.state_dict(), "part.pt")
        return self.parts["net"](torch.ones(n, 4))
for epoch in range(3):
    for i in range(4): learn(*data[i])
    assert Pipeline(model)(2).shape[0] == 2
model.eval(); Pipeline(model)(2); model.train()
learn(*data[0])
`
	r := watch(t, runner.Command{Dir: dir, Argv: []string{torch(t), script(t, preamble+text)}, Env: Env(dir)}, nil)
	if len(r.pauses) != 3 || len(r.validations) != 1 || len(r.iterations) != 13 || r.exit.Code != 0 {
		t.Fatalf("%+v, %d validations, exit %+v, stderr %q", r.pauses, len(r.validations), r.exit, r.stderr)
	}
	for _, p := range r.pauses {
		if p.Kind != "generation" || p.Seconds < 0.2 {
			t.Errorf("%+v", p)
		}
	}
}

// alone runs the script as if there were no probes, and returns its seconds.
func alone(t *testing.T, argv []string) float64 {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	took, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		t.Fatal(err)
	}
	return took
}

// probeEpochs is the run that a probe of the first epochs leaves in a database.
// What is shown while it goes on, reported at its end and ranked later must be
// one estimate, unless other work spoilt it: then the epochs are not even.
func probeEpochs(t *testing.T, argv []string, epochs int) (r profile.Run, even bool) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "profiles.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const perEpoch = 10
	p, err := session.Start(ctx, session.Options{
		Command: argv, Files: Files(), Env: Env(os.Getenv("PYTHONPATH")), Hooked: true, Store: s,
		Rule:        steady.Rule{Target: 1e-6, MaxN: epochs*perEpoch + perEpoch/2},
		Description: store.Description{Model: profile.Model{Name: "savers"}, Mode: profile.Train},
	})
	if err != nil {
		t.Fatal(err)
	}
	u := p.Wait()
	set, err := s.Load(ctx)
	if err != nil || u.Err != nil || len(set.Runs) != 1 {
		t.Fatalf("%d runs, %v, %v, log %q", len(set.Runs), err, u.Err, u.Log)
	}
	r = set.Runs[0]
	if number(r.IterationsPerEpoch) != perEpoch || !r.Steady.Known() {
		t.Fatalf("%g iterations per epoch, steady %+v", number(r.IterationsPerEpoch), r.Steady)
	}
	if !reflect.DeepEqual(u.Run.Pauses, r.Pauses) {
		t.Errorf("shown %+v, saved %+v", u.Run.Pauses, r.Pauses)
	}
	const asked = 9.0
	saved := training.Training(r, asked, nil)
	if live := training.Training(u.Run, asked, nil); live != saved {
		t.Errorf("while it went on %+v, saved %+v", live, saved)
	}
	if reported := report.New(u, []float64{asked}, nil).Estimates; len(reported) != 1 ||
		reported[0].Time.S != saved.Value || reported[0].Time.High != saved.High {
		t.Errorf("reported %+v, saved %+v", reported, saved)
	}
	ranked := candidate.NewList(set, question.Workload{Mode: profile.Train, Model: r.Model, Epochs: new(asked)}, nil, nil)
	if ranked.Len() != 1 {
		t.Fatalf("%d candidates", ranked.Len())
	}
	c := ranked.At(0)
	if c.FromEpochs { // a ranking takes account of epochs that other work made unequal
		return r, false
	}
	if c.Time != saved || c.Why != training.PausesOf(r).Words(asked) {
		t.Errorf("ranked %+v, saved %+v", c, saved)
	}
	return r, true
}

// A second training, whose optimizer may still be one of a pair with the first, is told of by its first checkpoint.
func TestCheckpointsOfASecondTraining(t *testing.T) {
	t.Parallel()
	const text = `
optimizers = []
for _ in range(2):
    optimizers.append(torch.optim.SGD(model.parameters(), lr=0.1))
    for epoch in range(3):
        model.train()
        for x, y in DataLoader(data, batch_size=6):
            nn.functional.mse_loss(model(x), y).backward()
            optimizers[-1].step()
        model.eval()
        with torch.no_grad(): print(nn.functional.mse_loss(model(other.tensors[0]), other.tensors[1]))
        torch.save(model.state_dict(), "model.pt")
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text)}, Dir: t.TempDir()}, nil)
	want := []int{4, 8, 12, 16, 20, 24}
	if !slices.Equal(r.paused, want) || len(r.validations) != 6 {
		t.Errorf("pauses after %v iterations, want %v, %d validations, exit %+v, stderr %q", r.paused, want,
			len(r.validations), r.exit, r.stderr)
	}
}
