package hook

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"sweetspot/probes/protocol"
	"sweetspot/probes/python"
	"sweetspot/probes/runner"
)

// find looks for the interpreter once: that imports the framework, which takes as long as most
// scripts do.
var find = sync.OnceValues(func() (python.Interpreter, error) { return python.Find(context.Background(), "") })

// torch is the interpreter that has the framework; a test without one is
// skipped, in CI it fails.
func torch(t testing.TB) string {
	t.Helper()
	found, err := find()
	if missing, ok := errors.AsType[*python.NotFoundError](err); ok {
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip("PyTorch is not installed: ", missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found.Path
}

// anyPython is an interpreter, with the framework or not; a test without one is
// skipped, in CI it fails.
func anyPython(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("Python is not installed: ", err)
	}
	return path
}

// recorded is what a script under the hook did.
type recorded struct {
	hellos         []protocol.Hello
	models         []protocol.Model
	tunings        []protocol.Tuning
	inits          []protocol.Init
	iterations     []protocol.Iteration
	validations    []protocol.Validation
	pauses         []protocol.Pause
	paused         []int // iterations before each pause
	overheads      []float64
	packages       []string
	trainings      []protocol.Training
	warnings       []string
	failures       []string
	done           []string
	others         []string // lines that are no sound event
	stdout, stderr string
	exit           runner.Exit
}

// facts is how often something else was told of the model, but for the shape of its input.
func (r *recorded) facts() (n int) {
	var last protocol.Model
	for i, m := range r.models {
		if m.T, m.Input = nil, ""; i == 0 || !reflect.DeepEqual(m, last) {
			n++
		}
		last = m
	}
	return n
}

func (r *recorded) take(item protocol.Item) {
	switch e := item.Event.(type) {
	case protocol.Hello:
		r.hellos = append(r.hellos, e)
	case protocol.Model:
		r.models = append(r.models, e)
	case protocol.Tuning:
		r.tunings = append(r.tunings, e)
	case protocol.Init:
		r.inits = append(r.inits, e)
	case protocol.Iteration:
		r.iterations = append(r.iterations, e)
	case protocol.Validation:
		r.validations = append(r.validations, e)
	case protocol.Pause:
		r.pauses, r.paused = append(r.pauses, e), append(r.paused, len(r.iterations))
	case protocol.Overhead:
		r.overheads = append(r.overheads, e.Seconds)
	case protocol.Training:
		r.trainings = append(r.trainings, e)
	case protocol.Packages:
		r.packages = append(r.packages, e.Names...)
	case protocol.Warning:
		r.warnings = append(r.warnings, e.Message)
	case protocol.Failure:
		r.failures = append(r.failures, e.Message)
	case protocol.Done:
		r.done = append(r.done, e.Reason)
	default:
		r.others = append(r.others, item.Log+item.Rejected)
	}
}

// watch runs a command under the hook. After every event that is an iteration
// it calls each, which may be nil.
func watch(t testing.TB, c runner.Command, each func(*runner.Process, *recorded)) *recorded {
	t.Helper()
	c.Files = Files()
	if c.Env == nil {
		c.Env = Env(os.Getenv("PYTHONPATH"))
	}
	p, err := runner.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{}
	var wg sync.WaitGroup
	for stream, text := range map[io.Reader]*string{p.Stdout(): &r.stdout, p.Stderr(): &r.stderr} {
		wg.Go(func() {
			all, _ := io.ReadAll(stream)
			*text = string(all)
		})
	}
	events := protocol.NewReader(p.Events())
	for {
		item, err := events.Next()
		if err != nil {
			break
		}
		r.take(item)
		if _, ok := item.Event.(protocol.Iteration); ok && each != nil {
			each(p, r)
		}
	}
	wg.Wait()
	r.exit = p.Wait()
	return r
}

func run(t testing.TB, script string, arguments ...string) *recorded {
	t.Helper()
	argv := append([]string{torch(t), filepath.Join("..", "frameworks", "scripts", script)}, arguments...)
	return watch(t, runner.Command{Argv: argv}, nil)
}

// number makes unknown visible.
func number[T int | float64](v *T) float64 {
	if v == nil {
		return -1
	}
	return float64(*v)
}

func units(its []protocol.Iteration) (out []float64) {
	for _, it := range its {
		out = append(out, number(it.Units))
	}
	return out
}

// places are epoch and index of every iteration, as 100*epoch + index.
func places(its []protocol.Iteration) (out []int) {
	for _, it := range its {
		out = append(out, 100*it.Epoch+*it.Index)
	}
	return out
}

// grid is the places of so many epochs of so many iterations.
func grid(epochs, iterations int) (out []int) {
	for e := range epochs {
		for i := range iterations {
			out = append(out, 100*e+i)
		}
	}
	return out
}

func repeat(times int, values ...float64) []float64 { return slices.Repeat(values, times) }

const unknown = -1
