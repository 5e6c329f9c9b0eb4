package queue

import (
	"context"
	"maps"
	"sync"
	"time"
)

// How often an engine is asked, however many jobs there are: often after a change,
// then less and less.
var (
	lookFirst = time.Second
	lookLast  = 30 * time.Second
)

// Watch looks at the jobs of a matrix for all who follow them.
type Watch struct {
	engine Engine
	names  []string
	ended  chan struct{}
	end    context.CancelFunc

	mu      sync.Mutex
	states  map[string]State
	missing map[string]int // looks in a row in which the engine did not know the job
	failed  error          // of the last look
	changed chan struct{}  // closed at the next look
	looks   int            // that were begun
	looked  int            // the last that was answered
	soon    chan struct{}  // asks for a look
}

// missedLooks is how often in a row an engine must not know a job to have ended it: just
// submitted, it may not be told yet.
const missedLooks = 3

// NewWatch looks until ctx ends.
func NewWatch(ctx context.Context, e Engine, names []string) *Watch {
	w := &Watch{engine: e, names: names, ended: make(chan struct{}), states: map[string]State{},
		missing: map[string]int{}, changed: make(chan struct{}), soon: make(chan struct{}, 1)}
	ctx, w.end = context.WithCancel(ctx)
	go w.run(ctx)
	return w
}

func (w *Watch) run(ctx context.Context) {
	defer close(w.ended)
	for every := lookFirst; ; every = min(every*3/2, lookLast) {
		if w.look(ctx) {
			every = lookFirst
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		case <-w.soon:
		}
	}
}

// look asks the engine once; true if a job changed.
func (w *Watch) look(ctx context.Context) bool {
	w.mu.Lock()
	w.looks++
	number := w.looks
	w.mu.Unlock()
	found, err := w.engine.Look(ctx, w.names)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.looked = number
	}
	before := maps.Clone(w.states)
	w.failed = err
	for _, name := range w.names {
		if err != nil {
			break // what was known stays
		}
		s, ok := found[name]
		if ok {
			w.missing[name] = 0
			s.Restarts = max(s.Restarts, w.states[name].Restarts) // not every source tells them
			w.states[name] = s
			continue
		}
		if w.missing[name]++; w.missing[name] >= missedLooks {
			last := w.states[name]
			if !last.Phase.Over() {
				last.Phase, last.Why = Ended, "the scheduler no longer knows the job"
				if last.ID == "" {
					last.Why = "the scheduler does not know the job: it was never accepted or is lost, or it ended long ago"
				}
			}
			w.states[name] = last
		}
	}
	close(w.changed)
	w.changed = make(chan struct{})
	return !maps.Equal(before, w.states)
}

// State is the last that is known of a job, and a channel that is closed at the next
// look. The error is that of the last look.
func (w *Watch) State(name string) (State, <-chan struct{}, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states[name], w.changed, w.failed
}

// Now is the state of a job according to a look that begins now: what was known may be older
// than what has just come from elsewhere. It waits for an engine that does not answer, until
// halt is closed.
func (w *Watch) Now(name string, halt <-chan struct{}) State {
	w.mu.Lock()
	number := w.looks + 1
	w.mu.Unlock()
	select {
	case w.soon <- struct{}{}:
	default: // it is asked for already
	}
	for {
		w.mu.Lock()
		s, looked, changed := w.states[name], w.looked, w.changed
		w.mu.Unlock()
		if looked >= number {
			return s
		}
		select {
		case <-changed:
		case <-w.ended:
			return s
		case <-halt:
			return s
		}
	}
}

// Close ends the looks; the engine is then free.
func (w *Watch) Close() {
	w.end()
	<-w.ended
}
