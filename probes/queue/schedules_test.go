package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"sweetspot/probes/identity"
	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
)

// world is an engine with its jobs, nodes and file system, all of them simulated, so that a
// schedule takes no time: see [synctest]. What it says of its jobs is as wrong as what real
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

// plan is a schedule: what happens when.
type plan struct {
	Jobs    int
	Waits   []time.Duration // of each job in the queue
	Lag     time.Duration   // after which others see what a node wrote
	Happens []happening
	Lost    bool // the answer to the first submission
	Leave   time.Duration
	Stay    time.Duration // until somebody follows again; 0 for no leaving
}

type happening struct {
	What string
	At   time.Duration
	For  time.Duration
	Job  int
}

func (h happening) String() string {
	return fmt.Sprintf("%s of job %d after %s for %s", h.What, h.Job, h.At, h.For)
}

// happenings are what can happen in a world to a job.
var happenings = map[string]func(w *world, j *simJob, h happening){
	"connections cut": func(w *world, _ *simJob, _ happening) {
		for l := range maps.Clone(w.links) {
			l.breaks()
		}
	},
	"login host gone": func(w *world, _ *simJob, h happening) {
		w.far = true
		for l := range maps.Clone(w.links) {
			l.breaks()
		}
		w.later(h.For, func() { w.far = false })
	},
	"engine silent": func(w *world, _ *simJob, h happening) {
		w.silent = true
		w.later(h.For, func() { w.silent = false })
	},
	"node lost": func(w *world, j *simJob, _ happening) { w.stop(j, Ended, "its node failed") },
	"cancelled": func(w *world, j *simJob, _ happening) { w.cut(j, Ended, "it was cancelled") },
	"preempted": func(w *world, j *simJob, _ happening) { w.cut(j, Ended, "a job of higher priority took its place") },
	"forgotten": func(_ *world, j *simJob, _ happening) {
		if j.forgot = true; !j.runs { // and is never begun
			j.waits.Stop()
		}
	},
	"called failed": func(_ *world, j *simJob, _ happening) { j.state.Phase, j.state.Why = Ended, "its node failed" },
	"called waiting": func(_ *world, j *simJob, h happening) {
		if j.runs {
			j.state.Phase, j.state.Why = Waiting, "waits in the queue"
		}
	},
	"requeued": func(w *world, j *simJob, h happening) {
		if j.runs && !j.forgot {
			w.cut(j, Waiting, "waits to be begun again")
			w.again(j, h.For)
		}
	},
	"requeued after its node was lost": func(w *world, j *simJob, h happening) {
		if j.runs && !j.forgot {
			w.stop(j, Waiting, "waits to be begun again")
			w.again(j, h.For)
		}
	},
	"begun again beside itself": func(w *world, j *simJob, h happening) {
		if j.runs && !j.forgot { // its node is only called lost
			j.ended, j.runs = make(chan struct{}), false
			j.state.Phase = Waiting
			w.again(j, h.For)
		}
	},
}

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

// simLink brings a spool as the agent's watch does.
type simLink struct {
	w        *world
	name     string
	job      string
	spool    *simSpool
	readers  [streams]*io.PipeReader
	writers  [streams]*io.PipeWriter
	ready    chan error
	broken   chan struct{}
	ended    chan struct{}
	mu       sync.Mutex
	gone     bool
	restarts int
	refused  bool
	all      bool
	next     bool
	exit     runner.Exit
}

// attach connects.
func (w *world) attach(s Spool) (link, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.far {
		return nil, errors.New("no route to the login host")
	}
	l := &simLink{w: w, name: fmt.Sprintf("%s%02x", s.Name, s.Attempt), job: s.Job(), ready: make(chan error, 1),
		broken: make(chan struct{}), ended: make(chan struct{})}
	for k := range l.readers {
		l.readers[k], l.writers[k] = io.Pipe()
	}
	w.links[l] = true
	go l.run()
	return l, nil
}

func (l *simLink) breaks() {
	select {
	case <-l.broken:
	default:
		close(l.broken)
	}
}

func (l *simLink) run() {
	l.follow()
	l.w.mu.Lock()
	delete(l.w.links, l)
	l.w.mu.Unlock()
	select {
	case l.ready <- errors.New("the connection was lost"):
	default:
	}
	for _, p := range l.writers {
		_ = p.Close()
	}
	close(l.ended)
}

// follow is what the agent does.
func (l *simLink) follow() {
	l.exit = runner.Exit{Code: lostCode, Lost: errors.New("the connection was lost")}
	heard, last, sent := time.Now(), time.Time{}, 0
	for {
		select {
		case <-l.broken:
			return
		case <-time.After(200 * time.Millisecond):
		}
		l.w.mu.Lock()
		s := l.w.spools[l.name]
		_, isNext := l.w.spools[l.name[:len(l.name)-2]+fmt.Sprintf("%02x", int(l.name[len(l.name)-1]-'0')+1)]
		var beat time.Time
		var data []byte
		var over, cut bool
		if s != nil {
			over, cut, beat = s.over, s.cut, s.beat
			data = bytes.Clone(s.events.Bytes()[sent:])
		} else if j := l.w.jobs[l.job]; j != nil && j.runs {
			beat = time.Now()
		}
		l.w.mu.Unlock()
		l.mu.Lock()
		gone := l.gone
		if s != nil && l.spool == nil {
			l.spool = s
			l.ready <- nil
		}
		if s != nil && l.restarts > s.restarts {
			gone = true
		}
		l.mu.Unlock()
		if beat.Equal(last) && time.Since(beat) < l.w.plan.Lag {
			heard = time.Now()
		}
		if !beat.Equal(last) {
			heard, last = time.Now(), beat
		}
		if sent += len(data); len(data) > 0 {
			_, _ = l.writers[events].Write(data)
			continue
		}
		quiet := gone && (cut || time.Since(heard) >= simQuiet)
		switch {
		case over:
			l.all, l.next, l.exit = true, isNext, runner.Exit{}
			return
		case quiet && s == nil:
			l.refused = true
			l.ready <- errors.New("the job ended before it")
			return
		case quiet:
			l.all, l.next = true, isNext
			l.exit.Lost = errors.New("the record is incomplete: it was cut off")
			return
		}
	}
}

func (l *simLink) Events() io.Reader             { return l.readers[events] }
func (l *simLink) Stdout() io.Reader             { return l.readers[stdout] }
func (l *simLink) Stderr() io.Reader             { return l.readers[stderr] }
func (l *simLink) Ready() <-chan error           { return l.ready }
func (l *simLink) Started() time.Time            { return time.Now() }
func (l *simLink) Facts() (identity.Facts, bool) { return identity.Facts{}, false }
func (l *simLink) StopWithin(time.Duration)      {}
func (l *simLink) Leave()                        { l.breaksLocked() }
func (l *simLink) Refused() bool                 { <-l.ended; return l.refused }
func (l *simLink) Collected() bool               { <-l.ended; return l.all }
func (l *simLink) CutOff() bool                  { <-l.ended; return l.all && l.exit.Lost != nil }
func (l *simLink) Next() bool                    { <-l.ended; return l.next }
func (l *simLink) Wait() runner.Exit             { <-l.ended; return l.exit }

func (l *simLink) Restarts() int {
	<-l.ended
	if l.spool == nil {
		return 0
	}
	return l.spool.restarts
}

func (l *simLink) breaksLocked() {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.breaks()
}

func (l *simLink) Gone(gone bool, restarts int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone, l.restarts = gone, restarts
}

// drawn is a random plan.
func drawn(rt *rapid.T) plan {
	seconds := func(most int, what string) time.Duration {
		return time.Duration(rapid.IntRange(0, most*10).Draw(rt, what)) * 100 * time.Millisecond
	}
	p := plan{Jobs: rapid.IntRange(1, 3).Draw(rt, "jobs"), Lost: rapid.Bool().Draw(rt, "answer lost"),
		Lag: seconds(3, "lag")}
	for range p.Jobs {
		p.Waits = append(p.Waits, seconds(20, "wait"))
	}
	names := slices.Sorted(maps.Keys(happenings))
	for range rapid.IntRange(0, 4).Draw(rt, "happenings") {
		p.Happens = append(p.Happens, happening{rapid.SampledFrom(names).Draw(rt, "what"), seconds(40, "at"),
			seconds(20, "for"), rapid.IntRange(0, p.Jobs-1).Draw(rt, "job")})
	}
	if rapid.Bool().Draw(rt, "left") {
		p.Leave, p.Stay = seconds(40, "leave"), seconds(40, "stay")+time.Second
	}
	return p
}

// follower reads what the spools of a matrix have, and says what is wrong.
type follower struct {
	mu   sync.Mutex
	got  map[string]string // events by spool
	lost map[string]error
	open map[*Process]bool
	left bool
}

// follow follows all jobs to their ends, as a matrix does; false if it was left.
func (f *follower) follow(w *world, jobs []string, leave <-chan struct{}) bool {
	watch := NewWatch(w.ctx, w, jobs)
	defer watch.Close()
	f.open, f.left = map[*Process]bool{}, false
	done := make(chan struct{})
	go func() {
		select {
		case <-leave:
			f.mu.Lock()
			defer f.mu.Unlock()
			f.left = true
			for p := range f.open {
				p.Leave()
			}
		case <-done:
		}
	}()
	var all sync.WaitGroup
	for _, job := range jobs {
		all.Go(func() {
			for probe := range simProbes {
				for attempt := 0; f.one(w, watch, Spool{"/spools", SpoolName(job, probe), attempt}); attempt++ {
				}
			}
		})
	}
	all.Wait()
	close(done)
	return !f.left
}

// one follows a probe, and reports whether another attempt follows.
func (f *follower) one(w *world, watch *Watch, s Spool) (again bool) {
	f.mu.Lock()
	if f.left {
		f.mu.Unlock()
		return false
	}
	p := begin(watch, s, func() (link, error) { return w.attach(s) })
	f.open[p] = true
	f.mu.Unlock()
	var events bytes.Buffer
	var copies sync.WaitGroup
	for to, from := range map[io.Writer]io.Reader{&events: p.Events(), io.Discard: p.Stdout()} {
		copies.Go(func() { _, _ = io.Copy(to, from) })
	}
	copies.Go(func() { _, _ = io.Copy(io.Discard, p.Stderr()) })
	exit := p.Wait()
	copies.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, p)
	name := fmt.Sprintf("%s%02x", s.Name, s.Attempt)
	f.got[name], f.lost[name] = events.String(), exit.Lost
	return p.Again()
}

// live is a schedule from its submission to its end; the text says what is wrong.
func live(ctx context.Context, p plan) string {
	ctx, end := context.WithCancel(ctx)
	w := &world{ctx: ctx, plan: p, jobs: map[string]*simJob{}, n: map[string]int{}, spools: map[string]*simSpool{},
		links: map[*simLink]bool{}}
	defer synctest.Wait()
	defer end()
	key := testKey
	var jobs []string
	for i := range p.Jobs {
		jobs = append(jobs, JobName(key, i))
	}
	for _, h := range p.Happens {
		w.later(h.At, func() {
			if j := w.jobs[jobs[h.Job]]; j != nil {
				happenings[h.What](w, j, h)
			}
		})
	}
	for _, name := range jobs {
		if err := Submit(ctx, w, Batch{Name: name}); err != nil && !errors.Is(err, ErrUnsure) {
			return "not submitted: " + err.Error()
		}
	}
	f := &follower{got: map[string]string{}, lost: map[string]error{}}
	leave := make(chan struct{})
	if p.Stay > 0 {
		time.AfterFunc(p.Leave, func() { close(leave) })
	}
	if !f.follow(w, jobs, leave) {
		time.Sleep(p.Stay)
		f.got, f.lost = map[string]string{}, map[string]error{}
		f.follow(w, jobs, nil)
	}
	for range 10 {
		if w.Cancel(ctx, jobs) == nil {
			break
		}
		time.Sleep(time.Minute)
	}

	return w.wrong(f)
}

// wrong compares what was read with what there was.
func (w *world) wrong(f *follower) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, s := range w.spools {
		if got := f.got[name]; got != s.events.String() {
			return fmt.Sprintf("of spool %s, %d bytes were read, and it has %d", name, len(got), s.events.Len())
		}
		if lost := f.lost[name]; s.over && lost != nil {
			return fmt.Sprintf("spool %s is whole, and it was said: %v", name, lost)
		}
	}
	for name, got := range f.got {
		s := w.spools[name]
		if s == nil && got != "" {
			return "events came of a spool that is not there: " + name
		}
		if lost := f.lost[name]; s == nil || !s.over {
			if lost == nil || strings.Contains(lost.Error(), "\n") || len(lost.Error()) > 500 {
				return fmt.Sprintf("spool %s is not whole, and it was said: %v", name, lost)
			}
		}
	}
	if len(w.jobs) < w.plan.Jobs {
		return fmt.Sprintf("only %d jobs were submitted", len(w.jobs))
	}
	for name, n := range w.n {
		if n > 1 {
			return fmt.Sprintf("job %s was accepted %d times", name, n)
		}
	}
	for name, j := range w.jobs {
		if j.runs && !j.forgot {
			return "job " + name + " still runs"
		}
	}
	return ""
}

// Whatever the engine says and whatever happens, whoever follows a matrix gets exactly what
// its spools have, each job is accepted once, none is left, and each end is explained.
// -rapid.checks says how many schedules; by default a few hundred.
func TestSimulatedSchedules(t *testing.T) {
	lookFirst, lookLast, again = time.Second, 30*time.Second, time.Second
	fewer(t, 300)
	rapid.Check(t, func(rt *rapid.T) {
		p := drawn(rt)
		var wrong string
		synctest.Test(t, func(t *testing.T) { wrong = live(t.Context(), p) })
		if wrong != "" {
			rt.Fatalf("%s\n%+v", wrong, p)
		}
	})
}
