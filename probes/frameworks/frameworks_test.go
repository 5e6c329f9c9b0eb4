// Package frameworks runs the training scripts of its folder under the hook,
// with the frameworks of today: newest and older PyTorch and what stands on it.
// scripts/frameworks sets these up; make test-frameworks does both.
package frameworks

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Variable names the folder that holds the environments, new and old.
const Variable = "SWEETSPOT_FRAMEWORKS"

// environments is the folder of the environments; without one a test is skipped.
func environments(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(Variable)
	if folder == "" {
		t.Skip("the frameworks are not set up: make test-frameworks does it, or " + Variable + " names their folder")
	}
	return folder
}

// outcome is what the runs of a script gave.
type outcome struct {
	environment, framework, name string
	iterations                   int
	aloneS, watchedS             float64
	step                         float64 // of a step, relative to the script's own timing; unknown without
	predicted                    estimated
}

// estimated is the time of a training that a probe of its first steps predicts.
type estimated struct{ S, Low, High float64 }

func (e estimated) String() string {
	if e.S == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f s (%.1f … %.1f)", e.S, e.Low, e.High)
}

// language is the environment of what trains language models in few bits.
const language = "language"

// The scripts do the same watched and alone; what is counted is exact; and the
// length that a probe predicts is that of the script. A short test runs no
// probes, only one script in eight alone and with the older PyTorch, and none
// that needs the environment of language models.
func TestScripts(t *testing.T) {
	folder := environments(t)
	var mu sync.Mutex
	var all []outcome
	slots := make(chan struct{}, 2) // timings mean little where more run than there are cores
	t.Cleanup(func() { report(t, all) })
	used := []string{"new", "old", language}
	if testing.Short() {
		used = used[:2]
	}
	for _, environment := range used {
		python := filepath.Join(folder, environment, "bin", "python")
		for i, s := range slices.Concat(scripts, trainers, public, timed, models) {
			whole := !testing.Short() || i%8 == 0
			if s.only != environment && (s.only != "" || environment == language) ||
				testing.Short() && s.timed && len(s.args) > 0 ||
				environment == "old" && !whole {
				continue
			}
			t.Run(environment+"/"+s.name(), func(t *testing.T) {
				if !s.timed { // beside another it would be slower than its own clock says
					t.Parallel()
				}
				slots <- struct{}{}
				defer func() { <-slots }()
				o := check(t, python, s, whole)
				o.environment = environment
				mu.Lock()
				defer mu.Unlock()
				all = append(all, o)
			})
		}
	}
}

// command is how a script is started, in a folder of its own.
func (s script) command(t *testing.T, python string) []string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("scripts", s.file))
	if err != nil {
		t.Fatal(err)
	}
	l := launch{python: python, file: file, dir: t.TempDir(), args: s.args}
	if s.launch != nil {
		return s.launch(l)
	}
	return append([]string{python, file}, s.args...)
}

// check watches a script and, if it is to be checked whole, runs it alone, too.
func check(t *testing.T, python string, s script, whole bool) outcome {
	t.Helper()
	w := watch(t, s.command(t, python), os.Getenv("PYTHONPATH"))
	o := outcome{framework: s.framework, name: s.file, iterations: w.iterations[0], watchedS: w.seconds}
	if s.wonders(w) {
		t.Errorf("exit %+v, warnings %q, rejected %q, stderr %q", w.exit, w.warnings, w.rejected, w.stderr)
	}
	if whole {
		var out string
		out, o.aloneS = alone(t, s, python)
		if s.seed && masked(w.stdout) != masked(out) {
			t.Errorf("watched it printed\n%s\nand alone\n%s", w.stdout, out)
		}
	}
	s.compare(t, w)
	if whole && !s.timed {
		w := watch(t, s.command(t, python), stream(t))
		if s.wonders(w) {
			t.Errorf("by a stream's clock: exit %+v, warnings %q, rejected %q", w.exit, w.warnings, w.rejected)
		}
		s.compare(t, w)
	}
	o.step = w.against(t)
	if !testing.Short() && s.iterations >= enough {
		o.predicted = predict(t, s, python)
	}
	return o
}

// wonders is whether a script ended otherwise than it should, or was warned of for nothing.
func (s script) wonders(w *watched) bool {
	return w.exit.Code != s.exit || len(w.rejected) > 0 || strings.Join(w.warnings, "; ") != s.warning
}

// compare checks what was counted.
func (s script) compare(t *testing.T, w *watched) {
	t.Helper()
	ranks := max(s.ranks, 1)
	if len(w.iterations) != ranks {
		t.Errorf("steps of %d ranks, want %d", len(w.iterations), ranks)
	}
	for rank, n := range w.iterations {
		if n != s.iterations {
			t.Errorf("%d steps of rank %d, want %d", n, rank, s.iterations)
		}
	}
	m := w.model
	got := []float64{number(m.BatchSize), number(m.TrainSize), number(m.IterationsPerEpoch), number(m.Epochs),
		number(m.Steps)}
	if want := []float64{s.batch, s.samples, s.perEpoch, s.epochs, s.steps}; !slices.Equal(got, want) {
		t.Errorf("batch, samples, steps of an epoch, epochs and steps are %v, want %v", got, want)
	}
	if s.precision != "" && m.Precision != s.precision {
		t.Errorf("the precision is %q, want %q", m.Precision, s.precision)
	}
	if s.tuning != nil {
		compareTuning(t, w.tuning, s.tuning)
	}
	if w.validations != s.validations || w.checkpoints != s.checkpoints {
		t.Errorf("%d validations and %d checkpoints, want %d and %d", w.validations, w.checkpoints, s.validations,
			s.checkpoints)
	}
}

// alone runs the script without a probe: what it prints, and how long it takes.
func alone(t *testing.T, s script, python string) (stdout string, seconds float64) {
	t.Helper()
	for try := 1; ; try++ {
		argv := s.command(t, python)
		begin := time.Now()
		out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).Output()
		failed, ok := err.(*exec.ExitError)
		switch {
		case err == nil || ok && failed.ExitCode() == s.exit:
			return string(out), time.Since(begin).Seconds()
		case !ok || try == tries || !aborted(t, string(failed.Stderr)):
			t.Fatalf("alone: %v, %s", err, out)
		}
	}
}

// times are those in a script's output, which no two runs share.
var times = regexp.MustCompile(`[0-9]+(\.[0-9]+)? ?(s|ms|it/s)\b|[0-9]+:[0-9]{2}:[0-9]{2}(,[0-9]{3})?|` +
	`_(runtime|per_second)': '?[0-9.]+(e[+-]?[0-9]+)?`)

// masked is what a script printed, without the times in it.
func masked(out string) string { return times.ReplaceAllString(out, "…") }

// enough steps have a third that a probe can measure: the first, which belongs to the
// start, a few that it sets aside as warm-up, and 20 steady ones.
const enough = 90

// predict probes the first third of a script's steps with the command that
// users run, and is its estimate of the whole.
func predict(t *testing.T, s script, python string) estimated {
	t.Helper()
	steps := strconv.Itoa(s.iterations / 3)
	db := filepath.Join(t.TempDir(), "profiles.db")
	argv := append([]string{"probe", "--db", db, "--json", "--max-steps", steps, "--"}, s.command(t, python)...)
	cmd := exec.CommandContext(t.Context(), binary, argv...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("probe: %v, %s", err, errors.String())
	}
	var answer struct {
		Run       struct{ Iterations int }
		Estimates []struct {
			Time          estimated
			Epochs, Steps *float64
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil || len(answer.Estimates) != 1 {
		t.Errorf("%d estimates, %v, in %s", len(answer.Estimates), err, out)
		return estimated{}
	}
	if want := s.iterations / 3 * max(s.ranks, 1); answer.Run.Iterations != want {
		t.Errorf("the probe ended after %d steps, want %d", answer.Run.Iterations, want)
	}
	of, got, want := answer.Estimates[0], answer.Estimates[0].Epochs, s.epochs
	if s.steps != unknown { // whose epochs follow from them
		got, want = of.Steps, s.steps
	}
	if s.warning == "" && number(got) != want {
		t.Errorf("the estimate is of %g epochs or steps, want %g", number(got), want)
	}
	return of.Time
}

// binary is the advisor that the tests run.
var binary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if os.Getenv(Variable) == "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "sweetspot")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "sweetspot")
	if out, err := exec.Command("go", "build", "-o", binary, "sweetspot/cmd/sweetspot").CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}
