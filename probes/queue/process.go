package queue

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/identity"
	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
)

var (
	// again is how soon a lost connection is made again, and againLast at most.
	again     = time.Second
	againLast = time.Minute
)

// Process follows a probe of a job by its spool: while it waits, while it runs, and over
// connections that break. It is a process of a session.
type Process struct {
	watch  *Watch
	host   remote.Host
	own    bool // the host is its job's
	spool  Spool
	attach func() (link, error)

	readers map[stream]*io.PipeReader
	writers map[stream]*io.PipeWriter
	sent    [streams]int64 // bytes, which a new connection brings again

	mu       sync.Mutex
	current  link
	begun    bool
	started  time.Time
	facts    *identity.Facts
	why      string // it does not run yet
	stopping time.Duration
	left     bool

	runs  chan struct{} // closed once it has begun, or never will
	halt  chan struct{} // closed once it is to end, or left
	ended chan struct{}
	exit  runner.Exit
	all   bool // there is nothing more to follow
	again bool // another attempt will
}

// link is a connection to where a spool can be read, which brings all of it: a
// [remote.Process].
type link interface {
	Events() io.Reader
	Stdout() io.Reader
	Stderr() io.Reader
	Ready() <-chan error
	Refused() bool
	Started() time.Time
	Facts() (identity.Facts, bool)
	Restarts() int
	Next() bool
	CutOff() bool
	Gone(gone bool, restarts int)
	StopWithin(grace time.Duration)
	Leave()
	Wait() runner.Exit
	Collected() bool
}

type stream int

const (
	events stream = iota
	stdout
	stderr
	streams // their number
)

// Beginning says that the job of a probe runs, and the probe does not yet.
const Beginning = "its job runs and is about to begin it"

// Follow begins to follow. It returns at once.
func Follow(w *Watch, s Spool) *Process {
	h, _ := w.engine.Host(s.Job())
	return begin(w, s, func() (link, error) { return remote.Watch(h, s.Path(), s.Job(), w.engine.Quiet()) })
}

// begin begins to follow by that connection.
func begin(w *Watch, s Spool, attach func() (link, error)) *Process {
	h, own := w.engine.Host(s.Job())
	p := &Process{watch: w, host: h, own: own, spool: s, attach: attach, readers: map[stream]*io.PipeReader{},
		writers: map[stream]*io.PipeWriter{},
		runs:    make(chan struct{}), halt: make(chan struct{}), ended: make(chan struct{})}
	for _, k := range []stream{events, stdout, stderr} {
		p.readers[k], p.writers[k] = io.Pipe()
	}
	go p.run()
	return p
}

func (p *Process) run() {
	for wait := again; ; wait = min(2*wait, againLast) {
		over, began := p.once()
		if over {
			break
		}
		if began {
			wait = again
		}
		select {
		case <-p.halt:
		case <-time.After(wait):
		}
		if p.isHalted() {
			p.lose(fmt.Errorf("the connection to %s was lost; the probe goes on there, and sweetspot attach collects it",
				plaintext.Clean(p.host.String())))
			break
		}
	}
	p.mu.Lock()
	if !p.begun {
		close(p.runs)
	}
	p.mu.Unlock()
	for _, w := range p.writers {
		_ = w.Close()
	}
	close(p.ended)
}

// once follows over one connection; over says that there will be nothing more.
func (p *Process) once() (over, began bool) {
	if p.own {
		if over, there := p.atHost(); over || !there {
			return over, false
		}
	}
	r, err := p.attach()
	if err != nil {
		return false, false // as of a host that cannot be reached
	}
	p.mu.Lock()
	p.current = r
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.current = nil
		p.mu.Unlock()
	}()
	var copies sync.WaitGroup
	for k, from := range map[stream]io.Reader{events: r.Events(), stdout: r.Stdout(), stderr: r.Stderr()} {
		copies.Go(func() { p.copy(k, from) })
	}
	finished := make(chan struct{})
	go p.tell(r, finished)
	refused := p.await(r)
	exit := r.Wait()
	close(finished)
	copies.Wait()
	began = p.hasBegun()
	switch {
	case p.isLeft():
		p.lose(fmt.Errorf("left %s; the probe goes on there, and sweetspot attach collects it",
			plaintext.Clean(p.host.String())))
	case !began && p.isHalted():
		p.all = true
		p.lose(errors.New("stopped before it began"))
	case refused != nil && r.Refused():
		p.all = true
		p.lose(errors.New(p.explain(refused.Error())))
	case r.Collected() && exit.Lost != nil:
		s := p.watch.Now(p.spool.Job(), p.halt)
		p.all, p.again = true, r.Next() || !s.Phase.Over() && s.Restarts > r.Restarts()
		said := exit.Lost.Error()
		if s.Phase.Over() && r.CutOff() { // which the engine explains
			said = "what it wrote until then is saved"
		}
		if p.again {
			said = "it was begun again, and so is the probe; what it wrote until then is saved"
		}
		p.lose(errors.New(p.explain(said)))
	case r.Collected():
		p.all, p.again, p.exit = true, r.Next(), exit
		if p.isCut(exit) {
			p.lose(errors.New(p.explain("what it wrote until then is saved")))
		}
	default:
		return false, began
	}
	return true, began
}

// await waits until the probe runs; nil also if the connection broke.
func (p *Process) await(r link) error {
	select {
	case err := <-r.Ready():
		if err != nil {
			return err
		}
	case <-p.halt:
		r.Leave()
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := r.Facts(); ok {
		p.facts = &f
	}
	if !p.begun {
		close(p.runs)
	}
	p.begun, p.started, p.why = true, r.Started(), ""
	if p.stopping > 0 {
		r.StopWithin(p.stopping)
	}
	return nil
}

// tell passes on what the engine says of the job, as long as the connection holds.
func (p *Process) tell(r link, finished <-chan struct{}) {
	type word struct {
		gone     bool
		restarts int
	}
	for said := (word{}); ; {
		s, changed, _ := p.watch.State(p.spool.Job())
		p.explainWait()
		if now := (word{s.Phase.Over(), s.Restarts}); now != said {
			said = now
			r.Gone(now.gone, now.restarts)
		}
		select {
		case <-changed:
		case <-finished:
			return
		}
	}
}

// copy passes on what was not yet, until the stream ends.
func (p *Process) copy(k stream, from io.Reader) {
	skip := p.sent[k]
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		data := buffer[:n]
		known := min(skip, int64(n))
		skip -= known
		if data = data[known:]; len(data) > 0 {
			p.sent[k] += int64(len(data))
			_, _ = p.writers[k].Write(data) // fails if nobody reads any more
		}
		if err != nil {
			return
		}
	}
}

func (p *Process) isHalted() bool {
	select {
	case <-p.halt:
		return true
	default:
		return false
	}
}

func (p *Process) isLeft() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

// Events is the stream of the probe's events, in whole lines.
func (p *Process) Events() io.Reader { return p.readers[events] }

// Stdout is its standard output.
func (p *Process) Stdout() io.Reader { return p.readers[stdout] }

// Stderr is its standard error.
func (p *Process) Stderr() io.Reader { return p.readers[stderr] }

// Started is when it began; before it does, now.
func (p *Process) Started() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		return time.Now()
	}
	return p.started
}

// Waiting says why it does not run yet; false once it does or did.
func (p *Process) Waiting() (why string, waits bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.why, "asking where its job stands"), !p.begun // before its engine has told
}

// Begun is closed once it runs or did, or it is known that it never will.
func (p *Process) Begun() <-chan struct{} { return p.runs }

// Facts is what its host reports about itself; false if it did not.
func (p *Process) Facts() (identity.Facts, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.facts == nil {
		return identity.Facts{}, false
	}
	return *p.facts, true
}

// Wait returns how it ended.
func (p *Process) Wait() runner.Exit {
	<-p.ended
	return p.exit
}

// Collected reports, once [Process.Wait] has returned, whether everything that it
// wrote has arrived.
func (p *Process) Collected() bool {
	<-p.ended
	return p.all
}

// Again reports, once [Process.Wait] has returned, whether its job was begun again before
// the probe had ended: another attempt follows.
func (p *Process) Again() bool {
	<-p.ended
	return p.again
}

// StopWithin asks it to end, as [remote.Process.StopWithin]. One that waits is over.
func (p *Process) StopWithin(grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping == 0 || grace < p.stopping {
		p.stopping = grace
	}
	if p.current != nil && p.begun {
		p.current.StopWithin(grace)
		return
	}
	p.close()
}

// Leave ends the connection; the job goes on.
func (p *Process) Leave() {
	p.mu.Lock()
	p.left = true
	current := p.current
	p.close()
	p.mu.Unlock()
	if current != nil {
		current.Leave()
	}
}

// close is called with the lock.
func (p *Process) close() {
	select {
	case <-p.halt:
	default:
		close(p.halt)
	}
}
