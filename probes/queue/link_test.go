package queue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"sweetspot/probes/identity"
	"sweetspot/probes/runner"
)

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
	l.exit = runner.Exit{Code: runner.ConnectionLost, Lost: errors.New("the connection was lost")}
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
