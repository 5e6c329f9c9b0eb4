package remote

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/identity"
	"sweetspot/probes/runner"
)

const (
	// aliveTimeout is how long the agent waits for a heartbeat before it
	// considers the connection lost; aliveEvery is how often one is sent.
	aliveTimeout = 60 * time.Second
	aliveEvery   = 10 * time.Second
	// connectTimeout is how long a host may take from the start of ssh until its agent
	// speaks.
	connectTimeout = 60 * time.Second
)

// Options say how a command runs on a host.
type Options struct {
	// Python is the interpreter on that host. If empty, it is the first of
	// $SWEETSPOT_PYTHON, python3 and /usr/bin/python3 there that can import
	// PyTorch. It replaces {sweetspot-python} in the command's words.
	Python     string
	Limit      time.Duration // after which the host itself stops the command; 0 for none
	NoMetadata bool          // don't ask the host's cloud what VM it is
	Load       time.Duration // interval between readings of how busy its CPUs are; 0 for none
}

// Process is a command under way on another host. Its three streams must be
// read to the end.
type Process struct {
	host     Host
	follows  bool // the spool of a probe of a job
	grace    time.Duration
	conn     *connection
	requests chan frame

	events, stdout, stderr *io.PipeReader
	writers                map[byte]*io.PipeWriter

	ready   chan error // receives once: nil when the command runs
	begun   bool       // the agent reported that the command runs
	refused bool       // the agent reported that it cannot

	restarts int  // of the job that writes the spool, when that began
	cut      bool // the probe was cut off
	next     bool // and has begun again
	replays  bool // what arrives was written before
	started  time.Time
	facts    *identity.Facts
	answer   json.RawMessage // of a question

	mu        sync.Mutex
	left      bool
	stopping  bool
	stopGrace time.Duration // of the stop under way

	ended     chan struct{}
	exit      runner.Exit
	collected bool
	broken    string
}

// Start runs the command on the host. When ctx ends, the command is stopped as
// by [Process.StopWithin]. The word {sweetspot-python} in the command stands for an
// interpreter of that host with PyTorch; its directory is one of that host, by
// default the user's own.
func Start(ctx context.Context, h Host, c runner.Command, o Options) (*Process, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("there is no command to run; give one after --")
	}
	if c.Grace <= 0 {
		c.Grace = 5 * time.Second
	}
	archive, err := zipped(c.Files)
	if err != nil {
		return nil, err
	}
	return begin(ctx, h, header{
		Task: "run", Argv: c.Argv, Env: c.Env, Dir: c.Dir, Python: o.Python,
		Grace: c.Grace.Seconds(), Limit: o.Limit.Seconds(), Metadata: !o.NoMetadata, Load: o.Load.Seconds(),
	}, archive, c.Grace)
}

// begin connects and waits until the command runs, or has ended.
func begin(ctx context.Context, h Host, to header, files []byte, grace time.Duration) (*Process, error) {
	p, spoke, err := open(h, to, files, grace)
	if err != nil {
		return nil, err
	}
	if err := p.await(ctx, spoke); err != nil {
		p.abandon(spoke)
		return nil, err
	}
	context.AfterFunc(ctx, func() { p.StopWithin(grace) })
	return p, nil
}

// open starts to connect. spoke is closed when the agent speaks.
func open(h Host, to header, files []byte, grace time.Duration) (p *Process, spoke chan struct{}, err error) {
	to.Mark, to.Silence = "sweetspot-agent-"+rand.Text(), aliveTimeout.Seconds()
	all, err := preamble(to, files)
	if err != nil {
		return nil, nil, err
	}
	conn, err := dial(h, to.Python)
	if err != nil {
		return nil, nil, err
	}
	p = &Process{
		host: h, follows: to.Spool != "", grace: grace, conn: conn, requests: make(chan frame, 16),
		ready: make(chan error, 1), ended: make(chan struct{}), started: time.Now(), writers: map[byte]*io.PipeWriter{},
	}
	for kind, reader := range map[byte]**io.PipeReader{kindEvents: &p.events, kindStdout: &p.stdout,
		kindStderr: &p.stderr} {
		*reader, p.writers[kind] = io.Pipe()
	}
	spoke = make(chan struct{})
	go p.send(all, spoke)
	go p.receive(to.Mark, spoke)
	return p, spoke, nil
}

// abandon ends a command, if it has begun, that nobody waits for any more.
func (p *Process) abandon(spoke <-chan struct{}) {
	select {
	case <-spoke:
	default:
		p.conn.kill() // the agent starts nothing before our first frame
	}
	for _, r := range []*io.PipeReader{p.events, p.stdout, p.stderr} {
		_ = r.Close()
	}
	p.StopWithin(time.Second)
	select {
	case <-p.ended:
	case <-time.After(exitTimeout):
		p.conn.kill()
		<-p.ended
	}
}

func (p *Process) await(ctx context.Context, spoke <-chan struct{}) error {
	limit := time.NewTimer(connectTimeout)
	defer limit.Stop()
	for {
		select {
		case err := <-p.ready:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-spoke:
			spoke = nil
			limit.Stop() // finding PyTorch may take any time
		case <-limit.C:
			return fmt.Errorf("%s accepted the login but did not start Python within %s; check what its login shell does",
				p.name(), connectTimeout)
		}
	}
}

// send writes what the agent needs and then, once it has spoken, frames.
func (p *Process) send(preamble []byte, spoke <-chan struct{}) {
	if _, err := p.conn.in.Write(preamble); err != nil {
		return // receive finds out why
	}
	select {
	case <-spoke:
	case <-p.ended:
		return
	}
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for f := (frame{kind: kindAlive}); ; { // the first frame starts the command
		if _, err := p.conn.in.Write(f.bytes()); err != nil {
			return
		}
		select {
		case f = <-p.requests:
		case <-alive.C:
			f = frame{kind: kindAlive}
		case <-p.ended:
			return
		}
	}
}

// receive reads the agent's output to its end.
func (p *Process) receive(mark string, spoke chan<- struct{}) {
	in := bufio.NewReaderSize(p.conn.out, 256<<10)
	banner, err := skipBanner(in, mark)
	if err == nil {
		close(spoke)
		for !p.collected && err == nil {
			var f frame
			if f, err = readFrame(in); err == nil {
				p.receiveFrame(f)
			}
		}
		banner = ""
	}
	p.conn.hangUp()
	_ = p.conn.out.(io.Closer).Close()
	p.reportStart(p.conn.connectError(banner)) // counts only if nothing else was reported
	switch {
	case p.broken != "":
		p.exit = runner.Exit{Code: runner.ConnectionLost, Lost: errors.New(p.broken)}
	case !p.collected:
		p.exit = runner.Exit{Code: runner.ConnectionLost, Lost: p.lost()}
	}
	for _, w := range p.writers {
		_ = w.Close()
	}
	close(p.ended)
}

// reportStart sends the result that begin waits for; only the first counts.
func (p *Process) reportStart(err error) {
	select {
	case p.ready <- err:
	default:
	}
}

func (p *Process) receiveFrame(f frame) {
	switch f.kind {
	case kindEvents, kindStdout, kindStderr:
		_, _ = p.writers[f.kind].Write(f.payload) // fails if nobody reads any more
	case kindNote:
		p.note(f)
	case kindExit:
		p.end(f)
	}
}

// note is a message from the agent itself.
func (p *Process) note(f frame) {
	var n struct {
		Facts    *identity.Facts
		Started  *struct{ PID int }
		Attached *struct {
			Elapsed  float64
			Restarts int
		}
		Failed, Broken string
		Cut, Next      bool
		Answer         json.RawMessage
	}
	if json.Unmarshal(f.payload, &n) != nil {
		return // from another version, or not an agent's
	}
	switch {
	case n.Failed != "":
		p.refused = true
		p.reportStart(refusal(fmt.Sprintf("on %s: %s", p.name(), plaintext.Cut(plaintext.Clean(n.Failed), 1000))))
	case n.Broken != "":
		p.next, p.cut = n.Next, n.Cut
		p.broken = fmt.Sprintf("the record of the probe on %s is incomplete: %s; what it wrote until then is saved", p.name(),
			plaintext.Cut(plaintext.Clean(n.Broken), 300))
	case n.Next:
		p.next = true
	case n.Answer != nil:
		p.answer = n.Answer
	case p.begun: // others read what follows
	case n.Facts != nil:
		p.facts = n.Facts
	case n.Attached != nil:
		p.replays = n.Attached.Elapsed > 0
		p.restarts = n.Attached.Restarts
		elapsed := min(max(n.Attached.Elapsed, 0), 1e9)
		p.started = time.Now().Add(-time.Duration(elapsed * float64(time.Second)))
	case n.Started != nil:
		if !p.replays {
			p.started = time.Now().Add(-f.at)
		}
		p.begun = true
		p.reportStart(nil)
	}
}

func (p *Process) end(f frame) {
	p.collected = true
	var e struct{ Code int }
	if json.Unmarshal(f.payload, &e) == nil {
		p.exit.Code = e.Code
	}
	p.reportStart(nil)
}

func (p *Process) name() string { return plaintext.Clean(p.host.String()) }

// lost describes a connection that ended before the command.
func (p *Process) lost() error {
	p.mu.Lock()
	left := p.left
	p.mu.Unlock()
	switch {
	case left && p.follows:
		return fmt.Errorf("left %s; the probe goes on there, and sweetspot attach collects it", p.name())
	case left:
		return fmt.Errorf("left %s; the probe there was ended, and what arrived is saved", p.name())
	}
	after := time.Since(p.started).Round(time.Second)
	what := fmt.Sprintf("the connection to %s was lost after %s (%s)", p.name(), after, p.conn.said.last())
	if p.follows {
		return errors.New(what + "; the probe goes on there, and sweetspot attach collects it")
	}
	return errors.New(what + "; what arrived is saved and the probe there was ended: with --detach it would go on, " +
		"for sweetspot attach to collect")
}

// Events is the stream of the command's events, in whole lines.
func (p *Process) Events() io.Reader { return p.events }

// Stdout is the command's standard output.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Stderr is the command's standard error.
func (p *Process) Stderr() io.Reader { return p.stderr }

// Started is when the command began, by this machine's clock.
func (p *Process) Started() time.Time { return p.started }

// Facts is what the host reports about itself; false if it did not.
func (p *Process) Facts() (identity.Facts, bool) {
	if p.facts == nil {
		return identity.Facts{}, false
	}
	return *p.facts, true
}

// Wait returns how the command, or the connection to it, ended.
func (p *Process) Wait() runner.Exit {
	<-p.ended
	return p.exit
}

// Collected reports, once [Process.Wait] has returned, whether everything the
// command wrote has arrived.
func (p *Process) Collected() bool {
	<-p.ended
	return p.collected
}

// StopWithin asks the command to end: at a step boundary if it can, otherwise
// by signals, one per grace period. It returns at once. A later call with a
// shorter period takes effect immediately.
func (p *Process) StopWithin(grace time.Duration) {
	p.mu.Lock()
	again := p.stopping && grace >= p.stopGrace
	if !again {
		p.stopping, p.stopGrace = true, grace
	}
	p.mu.Unlock()
	if again {
		return
	}
	payload, err := json.Marshal(struct {
		Grace float64 `json:"grace"`
	}{grace.Seconds()})
	if err != nil {
		return // never of a number
	}
	go func() {
		select {
		case p.requests <- frame{kind: kindStop, payload: payload}:
		case <-p.ended:
			return
		}
		select {
		case <-p.ended:
		case <-time.After(4*grace + exitTimeout + aliveTimeout):
			p.conn.kill() // the agent ends the command when the connection closes
		}
	}()
}

// Leave closes the connection. The probe of a job goes on, any other command ends.
func (p *Process) Leave() {
	p.mu.Lock()
	p.left = true
	p.mu.Unlock()
	p.conn.hangUp()
}
