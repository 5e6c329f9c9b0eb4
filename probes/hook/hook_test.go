package hook

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sweetspot/probes/runner"
)

// Kinds of training script, none of which knows that it is watched.
func TestScripts(t *testing.T) {
	t.Parallel()
	type validation struct {
		epoch int
		units float64
	}
	for _, c := range []struct {
		script                             string
		batch, perEpoch, trainSize, epochs float64
		params                             float64
		unit, dataset, precision           string
		places                             []int
		units                              []float64
		validations                        []validation
		pauses, exit, models               int
		network, input                     string // where it matters
		stream                             bool   // watched by the clock of a GPU's stream, too
		stdout, stderr, warning            string // what each begins with, or has
	}{
		{
			script: "plain_loop.py", stream: true, network: "Sequential", input: "1x8x8",
			batch: 16, perEpoch: 7, trainSize: 100, epochs: 3, params: 483, unit: "image",
			dataset: "Blobs", precision: "fp32",
			places: grid(3, 7), units: repeat(3, 16, 16, 16, 16, 16, 16, 4), validations: []validation{{0, 40}, {1, 40},
				{2, 40}}, models: 1,
			stdout: "batches look like (16, 1, 8, 8)\nepoch 1:",
		},
		{
			script: "lightning_like.py", stream: true, network: "Net",
			batch: 10, perEpoch: 6, trainSize: 60, epochs: 2, params: 276, unit: "sample",
			precision: "fp32",
			places:    grid(2, 6), units: repeat(12, 10), validations: []validation{{0, 33}, {1, 33}}, pauses: 2, models: 1,
			stdout: "fitted\n",
		},
		{
			script: "fastai_like.py", batch: 8, perEpoch: 6, trainSize: 50, epochs: 3, params: 7, unit: "sample",
			precision: "fp32",
			places:    grid(3, 6), units: repeat(18, 8), validations: []validation{{0, 24}, {1, 24}, {2, 24}}, models: 1,
			stdout: "fitted\n",
		},
		{
			script: "accumulation.py", batch: 32, perEpoch: 3, trainSize: 96, epochs: 2, params: 7, unit: "sample",
			precision: "fp32",
			places:    grid(2, 3), units: repeat(6, 32), models: 1,
		},
		{
			script: "two_optimizers.py", batch: 10, perEpoch: 5, trainSize: 50, epochs: 2, params: 83, unit: "sample",
			precision: "fp32",
			places:    grid(2, 5), units: repeat(10, 10), models: 1,
		},
		{
			script: "stages.py", stream: true, batch: 5, perEpoch: 10, trainSize: 50, epochs: 6, params: 279, unit: "sample",
			precision: "fp32", places: grid(6, 10), units: repeat(60, 5), input: "6", network: "Sequential", models: 3,
			stdout: "SGD: ", warning: "it trains again and again",
		},
		{
			script: "own_optimizer.py", stream: true, batch: 10, perEpoch: 6, trainSize: 60, epochs: 4,
			params: 161,
			unit:   "sample", precision: "fp32", places: grid(4, 6), units: repeat(24, 10), models: 1, stdout: "epoch 0: ",
		},
		{
			script: "by_hand.py", batch: 16, perEpoch: 10, trainSize: unknown, epochs: 4, params: 195,
			unit: "sample", precision: "fp32", places: grid(4, 10), units: repeat(40, unknown), models: 2, stdout: "epoch 0: ",
			validations: []validation{{0, unknown}, {1, unknown}, {2, unknown}, {3, unknown}},
		},
		{
			script: "engine.py", batch: 16, perEpoch: 4, trainSize: 64, epochs: 3, params: 161, unit: "sample",
			precision: "bf16", places: grid(3, 4), units: repeat(12, 16), models: 1, stdout: "epoch 0: ",
			validations: []validation{{0, 16}, {1, 16}, {2, 16}},
		},
		{
			script: "ema.py", stream: true, batch: 5, perEpoch: 8, trainSize: 40, epochs: 3, params: 227, unit: "sample",
			precision: "fp32", places: grid(3, 8), units: repeat(24, 5), models: 1, stdout: "epoch 0: ",
			validations: []validation{{0, 20}, {1, 20}, {2, 20}, {2, 20}},
		},
		{
			script: "closure.py", batch: 20, perEpoch: 2, trainSize: 40, epochs: 4, params: 6, unit: "sample", precision: "fp32",
			places: grid(4, 2), units: repeat(8, 20), models: 1, stdout: "closure called often\n",
		},
		{
			script: "workers.py", stream: true, batch: 16, perEpoch: 4, trainSize: 64, epochs: 2, params: 163, unit: "sample",
			dataset: "Waves", precision: "fp32",
			places: grid(2, 4), units: repeat(8, 16), validations: []validation{{0, unknown}, {1, unknown}}, models: 1,
		},
		{
			script: "no_loader.py", batch: 16, perEpoch: 4, trainSize: unknown, epochs: 3, params: 385,
			unit: "sample", precision: "bf16",
			places: grid(3, 4), units: repeat(12, unknown), models: 2, stdout: "0 ",
			validations: []validation{{0, unknown}, {1, unknown}, {2, unknown}},
		},
		{
			script: "two_sets.py", stream: true, batch: 12, perEpoch: 5, trainSize: 60, epochs: 3, params: 110, unit: "sample",
			precision: "fp32", places: grid(3, 5), units: repeat(15, 12), models: 1, stdout: "training accuracy: ",
			validations: []validation{{0, unknown}, {1, unknown}, {2, unknown}}, // of which set a result is nobody knows
		},
		{
			script: "kept_iterator.py", stream: true, batch: 8, perEpoch: 7, trainSize: 52, epochs: 4, params: 97, unit: "sample",
			precision: "fp32", places: grid(4, 7), units: repeat(4, 8, 8, 8, 8, 8, 8, 4), models: 1, stdout: "0 ",
			validations: []validation{{0, 20}, {1, 20}, {2, 20}, {3, 20}},
		},
		{
			script: "iterable.py", stream: true, batch: 10, perEpoch: 5, trainSize: 45, epochs: 2, params: 5, unit: "sample",
			dataset: "Stream", precision: "fp32",
			places: grid(2, 5), units: repeat(2, 10, 10, 10, 10, 5), models: 2,
		},
		{
			script: "eval_every_k.py", batch: 5, perEpoch: 8, trainSize: 40, epochs: 3, params: 61, unit: "sample",
			precision: "fp32",
			places:    grid(3, 8), units: repeat(24, 5), validations: []validation{{0, 30}, {1, 30}, {1, 30},
				{2, 30}}, models: 1,
			stdout: "kept Sequential NAdam\n",
		},
		{
			script: "crash.py", batch: 4, perEpoch: 10, trainSize: 40, epochs: 1, params: 10, unit: "sample",
			precision: "fp32",
			places:    grid(1, 6), units: repeat(6, 4), exit: 1, models: 1, stdout: "begins\n",
			stderr: "ValueError: the seventh batch is bad",
		},
	} {
		check := func(t *testing.T, env []string) {
			r := watch(t, runner.Command{Argv: []string{torch(t), filepath.Join("..", "frameworks", "scripts", c.script)},
				Env: env}, nil)
			if r.exit.Code != c.exit || !strings.HasPrefix(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) ||
				(c.stderr == "" && strings.Contains(r.stderr, "Traceback")) {
				t.Errorf("exit %+v, stdout %q, stderr %q", r.exit, r.stdout, r.stderr)
			}
			told := strings.Join(r.failures, "; ")
			warned := len(r.warnings) == 0
			if c.warning != "" {
				warned = len(r.warnings) == 1 && strings.HasPrefix(r.warnings[0], c.warning)
			}
			if told != c.stderr || !warned || len(r.others)+len(r.done) != 0 {
				t.Errorf("warnings %q, errors %q, done %q, other lines %q", r.warnings, told, r.done, r.others)
			}
			if got := places(r.iterations); !slices.Equal(got, c.places) {
				t.Errorf("iterations %v, want %v", got, c.places)
			}
			if got := units(r.iterations); !slices.Equal(got, c.units) {
				t.Errorf("units %v, want %v", got, c.units)
			}
			var got []validation
			for _, v := range r.validations {
				got = append(got, validation{v.Epoch, number(v.Units)})
			}
			if !slices.Equal(got, c.validations) || len(r.pauses) != c.pauses {
				t.Errorf("validations %v, want %v; %d pauses, want %d", got, c.validations, len(r.pauses), c.pauses)
			}
			// Of the interpreter, PyTorch, an optimizer, or what is computed before there is one, and the first step.
			if r.facts() != c.models || len(r.hellos) != 4 || len(r.inits) != 1 {
				t.Fatalf("%d models, %d hellos, %d inits", r.facts(), len(r.hellos), len(r.inits))
			}
			m := r.models[len(r.models)-1]
			if number(m.BatchSize) != c.batch || number(m.IterationsPerEpoch) != c.perEpoch ||
				number(m.TrainSize) != c.trainSize || number(m.Epochs) != c.epochs || number(m.Params) != c.params {
				t.Errorf("batch %g, per epoch %g, train size %g, epochs %g, parameters %g", number(m.BatchSize),
					number(m.IterationsPerEpoch), number(m.TrainSize), number(m.Epochs), number(m.Params))
			}
			if c.network != "" && (m.Network != c.network || m.Input != c.input) {
				t.Errorf("a %s for %s, want %s for %s", m.Network, m.Input, c.network, c.input)
			}
			if m.Unit != c.unit || m.Dataset != c.dataset || m.Precision != c.precision || m.Name != "" ||
				number(m.WorldSize) != 1 {
				t.Errorf("model %+v", m)
			}
		}
		name := strings.TrimSuffix(c.script, ".py")
		t.Run(name, func(t *testing.T) { check(t, nil) })
		if c.stream {
			t.Run(name+" by a stream's clock", func(t *testing.T) { check(t, Env(stream(t))) })
		}
	}
}

// stream is the folder whose sitecustomize times a training as one on a GPU is.
func stream(t testing.TB) string {
	t.Helper()
	folder, err := filepath.Abs("../frameworks/testdata/stream")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// computes is what was told of whether something is computed.
func (r *recorded) computes() (told []bool) {
	for _, h := range r.hellos {
		if h.Computes != nil {
			told = append(told, *h.Computes)
		}
	}
	return told
}

// That something is computed is told once, of modules and gradients, unless an optimizer is to step.
func TestComputing(t *testing.T) {
	t.Parallel()
	const data, module = "import torch; torch.ones(3).sum()", "; torch.nn.Linear(2, 1)(torch.ones(2))"
	const gradient = "; x = torch.ones(2, requires_grad=True); x.sum().backward()"
	for text, want := range map[string]string{
		data:                              "[false]",
		data + module + module + gradient: "[false true]",
		data + gradient:                   "[false true]",
		data + "; o = torch.optim.SGD([torch.ones(1)], 0.1)" + module: "[false]",
		"import os; os.fork() or os._exit(0)":                         "[]",
	} {
		r := watch(t, runner.Command{Argv: []string{torch(t), "-c", text}}, nil)
		if got := fmt.Sprint(r.computes()); got != want || r.exit.Code != 0 {
			t.Errorf("%s: %s, want %s; %s", text, got, want, r.stderr)
		}
	}
}

// What the hello says before and after the framework is there, and that times
// add up: no iteration, validation or pause is longer than the probe.
func TestHelloAndTimes(t *testing.T) {
	begin := time.Now()
	r := run(t, "plain_loop.py")
	all := time.Since(begin).Seconds()
	first, imported, built, second := r.hellos[0], r.hellos[1], r.hellos[2], r.hellos[3]
	if c := imported.Computes; c == nil || *c || imported.Framework != "" {
		t.Errorf("imported %+v", imported)
	}
	if !first.Hook || first.PID == nil || first.Framework != "" || first.GPUs != nil || first.Python == "" ||
		first.Host == "" {
		t.Errorf("first %+v", first)
	}
	// Before the first step it is told that steps will be.
	if built.Framework != second.Framework || !(*built.T < *r.iterations[0].T) {
		t.Errorf("built %+v", built)
	}
	if !strings.HasPrefix(second.Framework, "torch ") || second.GPUs == nil || *second.PID != *first.PID {
		t.Errorf("second %+v", second)
	}
	sum := r.inits[0].Seconds
	for _, it := range r.iterations {
		if it.Seconds <= 0 || it.Wait == nil || *it.Wait <= 0 || *it.Wait > it.Seconds {
			t.Fatalf("iteration %+v waits %g", it, number(it.Wait))
		}
		sum += it.Seconds
	}
	for _, v := range r.validations {
		sum += v.Seconds
	}
	if sum > all {
		t.Errorf("parts add up to %g s of %g s", sum, all)
	}
}
