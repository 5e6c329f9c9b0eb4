package remote

import (
	"encoding/json"
	"io"
	"time"

	"sweetspot/probes/identity"
	"sweetspot/probes/runner"
)

// Events is what the command writes to where its events belong, in whole
// lines.
func (p *Process) Events() io.Reader { return p.events }

// Stdout is the command's standard output.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Stderr is the command's standard error.
func (p *Process) Stderr() io.Reader { return p.stderr }

// Started is when the command began, by this machine's clock.
func (p *Process) Started() time.Time { return p.started }

// Facts is what the host says of itself; false where it did not.
func (p *Process) Facts() (identity.Facts, bool) {
	if p.facts == nil {
		return identity.Facts{}, false
	}
	return *p.facts, true
}

// Memo is what [Options].Memo was when an attached command began.
func (p *Process) Memo() json.RawMessage { return p.memo }

// Wait returns how the command ended, or that the connection to it did.
func (p *Process) Wait() runner.Exit {
	<-p.ended
	return p.exit
}

// Collected reports, once [Process.Wait] has returned, whether everything the
// command wrote has come: nothing is left on the host that [Forget] would lose.
func (p *Process) Collected() bool {
	<-p.ended
	return p.collected
}

// StopWithin asks the command to end, at a step boundary where it can, and by
// signals the grace period apart where it does not. It returns at once. A later
// call with a shorter period is obeyed from then on.
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
			p.conn.kill() // the agent ends the command when it is gone
		}
	}()
}

// Leave gives up the connection. A detached command goes on, any other ends.
func (p *Process) Leave() {
	p.mu.Lock()
	p.left = true
	p.mu.Unlock()
	p.conn.hangUp()
}
