package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sweetspot/probes/remote"
)

// world is an engine with its jobs, nodes and file system, all of them simulated, so that a
// schedule takes no time: see [testing/synctest]. What it says of its jobs is as wrong as what real
// engines say.
type world struct {
	ctx    context.Context //nolint:containedctx // of all of its goroutines
	plan   plan
	mu     sync.Mutex
	jobs   map[string]*simJob
	n      map[string]int // jobs that were accepted, by name
	spools map[string]*simSpool
	silent bool // the engine does not answer
	far    bool // spools can't be reached
	links  map[*simLink]bool
	missed bool // the answer to a submission was lost
}

type simJob struct {
	state  State
	runs   bool // whatever is said
	forgot bool
	end    context.CancelFunc
	ended  chan struct{}
	waits  *time.Timer
}

// simSpool is a spool on that file system.
type simSpool struct {
	events   bytes.Buffer
	restarts int
	over     bool // it says how the probe ended
	cut      bool // it says that it was cut off
	beat     time.Time
}

const (
	simQuiet  = 4 * time.Second
	simSteps  = 20
	simProbes = 3
)

func (w *world) later(wait time.Duration, do func()) {
	time.AfterFunc(wait, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		do()
	})
}

func (w *world) again(j *simJob, wait time.Duration) {
	j.state.Restarts++
	j.waits = time.AfterFunc(wait, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if j.state.Phase == Waiting {
			w.begin(j)
		}
	})
}

// stop ends a job without a word from it.
func (w *world) stop(j *simJob, p Phase, why string) {
	if j.end != nil {
		j.end()
		j.end = nil
	}
	j.runs, j.state.Phase, j.state.Why = false, p, why
}

// cut ends a job that has time to say so.
func (w *world) cut(j *simJob, p Phase, why string) {
	if j.runs {
		for _, s := range w.of(j) {
			if !s.over && s.restarts == j.state.Restarts {
				s.cut = true
			}
		}
	}
	w.stop(j, p, why)
}

func (w *world) of(j *simJob) (all []*simSpool) {
	for name, s := range w.spools {
		if strings.HasPrefix(name, j.state.ID) {
			all = append(all, s)
		}
	}
	return all
}

// begin runs the probes that have not ended, one after the other.
func (w *world) begin(j *simJob) {
	ctx, end := context.WithCancel(w.ctx)
	ended := make(chan struct{})
	j.runs, j.ended = true, ended
	if before := j.end; before != nil { // it still runs beside this
		j.end = func() { before(); end() }
	} else {
		j.end = end
	}
	j.state.Phase, j.state.Why, j.state.Node = Running, "", "n1"
	restarts := j.state.Restarts
	go func() {
		defer close(ended)
		for probe := range simProbes {
			if !w.run(ctx, SpoolName(j.state.ID, probe), restarts) {
				return
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if j.ended == ended && j.runs {
			j.runs, j.state.Phase, j.state.Why = false, Ended, "it ended by itself"
		}
	}()
}

func (w *world) run(ctx context.Context, name string, restarts int) bool {
	w.mu.Lock()
	attempt := 0
	for ; w.spools[fmt.Sprintf("%s%02x", name, attempt)] != nil; attempt++ {
		if w.spools[fmt.Sprintf("%s%02x", name, attempt)].over {
			w.mu.Unlock()
			return true
		}
	}
	s := &simSpool{restarts: restarts, beat: time.Now()}
	w.spools[fmt.Sprintf("%s%02x", name, attempt)] = s
	w.mu.Unlock()
	for i := range simSteps {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(300 * time.Millisecond):
		}
		w.mu.Lock()
		if ctx.Err() != nil { // at the same moment
			w.mu.Unlock()
			return false
		}
		s.beat = time.Now()
		fmt.Fprintf(&s.events, "{\"step\":%d,\"of\":\"%s%02x\"}\n", i, name, attempt)
		w.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.over = ctx.Err() == nil
	return s.over
}

var errSilent = errors.New("the controller does not answer")

func (w *world) Host(string) (remote.Host, bool)         { return remote.Here, false }
func (w *world) Root(context.Context) (string, error)    { return "/spools", nil }
func (w *world) Quiet() time.Duration                    { return simQuiet }
func (w *world) Offers(context.Context) ([]Offer, error) { return nil, nil }

func (w *world) Submit(_ context.Context, b Batch) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.silent {
		return "", fmt.Errorf("%w (%w)", errSilent, ErrUnsure)
	}
	if j := w.jobs[b.Name]; j != nil { // where it forgot that, the second finds the claim of the first, and ends
		return j.state.ID, nil
	}
	j := &simJob{state: State{ID: b.Name, Phase: Waiting, Why: "waits in the queue"}}
	w.jobs[b.Name] = j
	w.n[b.Name]++
	j.waits = time.AfterFunc(w.plan.Waits[len(w.jobs)-1], func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if j.state.Phase == Waiting && j.state.Restarts == 0 {
			w.begin(j)
		}
	})
	if w.plan.Lost && !w.missed {
		w.missed = true
		return "", fmt.Errorf("the connection was lost (%w)", ErrUnsure)
	}
	return b.Name, nil
}

func (w *world) Look(_ context.Context, names []string) (map[string]State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.silent {
		return nil, errSilent
	}
	found := map[string]State{}
	for _, name := range names {
		if j := w.jobs[name]; j != nil && !j.forgot {
			found[name] = j.state
		}
	}
	return found, nil
}

func (w *world) Cancel(_ context.Context, names []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.silent {
		return errSilent
	}
	for _, name := range names {
		if j := w.jobs[name]; j != nil && !j.forgot && !j.state.Phase.Over() {
			w.cut(j, Ended, "it was cancelled")
			j.waits.Stop()
		}
	}
	return nil
}
