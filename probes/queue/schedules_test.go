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
