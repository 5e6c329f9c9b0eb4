package queue

import (
	"fmt"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/runner"
)

// explainWait keeps what the engine says of a probe that does not run yet.
func (p *Process) explainWait() {
	s, _, err := p.watch.State(p.spool.Job())
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.begun:
	case err != nil:
		p.why = err.Error()
	case s.Phase == Running:
		p.why = Beginning
	default:
		p.why = s.Words()
	}
}

// explain is why a probe did not end by itself: what the engine says of its job, which
// said has ended or was begun again; else what its spool says.
func (p *Process) explain(said string) string {
	s, _, err := p.watch.State(p.spool.Job())
	job := "its job"
	if s.ID != "" {
		job += " " + plaintext.Clean(s.ID)
	}
	if s.Node != "" {
		job += " on " + plaintext.Clean(s.Node)
	}
	switch {
	case err != nil:
		return fmt.Sprintf("%s; what became of %s is not known: %v", said, job, err)
	case s.Phase.Over() && s.Why != "" && !p.again: // how what came after it ended explains nothing
		return fmt.Sprintf("%s: %s (%s)", job, s.Words(), said)
	}
	return fmt.Sprintf("%s: %s", job, said)
}

func (p *Process) lose(why error) { p.exit = runner.Exit{Code: runner.ConnectionLost, Lost: why} }

// terminated is the exit code of what SIGTERM ended, by which schedulers end jobs.
const terminated = 128 + 15

// isCut reports whether the engine ended the job, and so the probe that was ended by a
// signal nobody here asked for. Which one it was shows a little later.
func (p *Process) isCut(exit runner.Exit) bool {
	p.mu.Lock()
	asked := p.stopping > 0
	p.mu.Unlock()
	if exit.Code != terminated || asked {
		return false
	}
	for until := time.Now().Add(p.watch.engine.Quiet()); ; {
		s := p.watch.Now(p.spool.Job(), p.halt)
		if s.Phase.Over() || time.Now().After(until) || p.isHalted() {
			return s.Cut
		}
		select {
		case <-p.halt:
		case <-time.After(again):
		}
	}
}
