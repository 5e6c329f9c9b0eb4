package frameworks

import (
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"sweetspot/probes/hook"
	"sweetspot/probes/protocol"
	"sweetspot/probes/runner"
)

// watched is what a command did under the hook.
type watched struct {
	model                    protocol.Model
	tuning                   *protocol.Tuning // nil where none was told
	iterations               map[int]int      // steps of each rank
	times                    []float64        // and the seconds of each of the first rank
	validations, checkpoints int              // of the first rank
	warnings, rejected       []string
	stdout, stderr           string
	exit                     runner.Exit
	seconds                  float64
}

// tries is how often a command is run at most that PyTorch aborts.
const tries = 4

// aborted reports whether PyTorch aborted a process as Python ended, by what it wrote: a thread of Gloo
// that still holds a tensor then does so, now and then on a loaded machine, without a probe, too.
func aborted(t *testing.T, stderr string) bool {
	t.Helper()
	if !strings.Contains(stderr, "terminate called without an active exception") {
		return false
	}
	t.Log("PyTorch aborted a process as Python ended")
	return true
}

// watch runs a command to its end under the hook, again where PyTorch aborts it; path is PYTHONPATH.
func watch(t *testing.T, argv []string, path string) (w *watched) {
	t.Helper()
	for range tries {
		if w = watchOnce(t, argv, path); !aborted(t, w.stderr) {
			break
		}
	}
	return w
}

func watchOnce(t *testing.T, argv []string, path string) *watched {
	t.Helper()
	p, err := runner.Start(t.Context(), runner.Command{Argv: argv, Files: hook.Files(), Env: hook.Env(path)})
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{iterations: map[int]int{}}
	var wg sync.WaitGroup
	for stream, text := range map[io.Reader]*string{p.Stdout(): &w.stdout, p.Stderr(): &w.stderr} {
		wg.Go(func() {
			all, _ := io.ReadAll(stream)
			*text = string(all)
		})
	}
	for events := protocol.NewReader(p.Events()); ; {
		item, err := events.Next()
		if err != nil {
			break
		}
		w.take(item)
	}
	wg.Wait()
	w.exit = p.Wait()
	w.seconds = time.Since(p.Started()).Seconds()
	return w
}

// stream is PYTHONPATH with the folder whose sitecustomize times a training as one on a GPU is.
func stream(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("testdata/stream")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func (w *watched) take(item protocol.Item) {
	switch e := item.Event.(type) {
	case protocol.Model:
		w.model = e
	case protocol.Tuning:
		w.tuning = &e
	case protocol.Iteration:
		w.iterations[e.Rank]++
		if e.Rank == 0 {
			w.times = append(w.times, e.Seconds)
		}
	case protocol.Validation:
		w.validations++
	case protocol.Pause:
		if strings.HasSuffix(e.Kind, "checkpoint") { // "best checkpoint", too
			w.checkpoints++
		}
	case protocol.Warning:
		w.warnings = append(w.warnings, e.Message)
	case protocol.Failure:
		w.rejected = append(w.rejected, e.Message)
	case nil:
		w.rejected = append(w.rejected, item.Log+item.Rejected)
	}
}

// warmUp are the first steps, which a script that times its own does not count.
const warmUp = 10

// ownStep is a script's own timing of its steps.
var ownStep = regexp.MustCompile(`(?m)^([0-9.]+) s a step$`)

// against is the mean time of a step relative to the script's own, if it took it.
// What differs by more than 2 %, and more than 50 µs a step, is an error.
func (w *watched) against(t *testing.T) float64 {
	t.Helper()
	found := ownStep.FindStringSubmatch(w.stdout)
	if found == nil {
		return unknown
	}
	own, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	ours := stat.Mean(w.times[warmUp:], nil)
	if off := ours - own; off > max(0.02*own, 50e-6) || -off > max(0.02*own, 50e-6) {
		t.Errorf("%g s a step, of which the script says %g s", ours, own)
	}
	return ours / own
}

// number makes unknown visible.
func number[T int | float64](v *T) float64 {
	if v == nil {
		return unknown
	}
	return float64(*v)
}
