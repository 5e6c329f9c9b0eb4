package remote

import (
	"encoding/json"
	"io"
	"time"

	"sweetspot/probes/identity"
	"sweetspot/probes/runner"
)

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

// Memo is the [Options].Memo that an attached command was started with.
func (p *Process) Memo() json.RawMessage { return p.memo }

// Wait returns how the command, or the connection to it, ended.
func (p *Process) Wait() runner.Exit {
	<-p.ended
	return p.exit
}

// Collected reports, once [Process.Wait] has returned, whether everything the
// command wrote has arrived, so that [Forget] would lose nothing.
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

// Leave closes the connection. A detached command goes on, any other ends.
func (p *Process) Leave() {
	p.mu.Lock()
	p.left = true
	p.mu.Unlock()
	p.conn.hangUp()
}
