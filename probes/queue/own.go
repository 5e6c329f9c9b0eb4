package queue

import "errors"

// atHost waits until the job's own host is there; over says that it is not to be waited for:
// it is gone, or was stopped.
func (p *Process) atHost() (over, there bool) {
	for {
		s, changed, _ := p.watch.State(p.spool.Job())
		p.explainWait()
		switch s.Phase {
		case Running, Ended:
			if s.Unbegun && !p.hasBegun() {
				p.all = true
				p.lose(errors.New(p.explain("it never began")))
				return true, false
			}
			return false, true
		case Stopped: // whoever has it started follows it again
			p.lose(errors.New(p.explain(s.Words())))
			return true, false
		case Gone:
			p.all = true
			p.lose(errors.New(p.explain("its host is gone; what was read of it until then is saved")))
			return true, false
		}
		select {
		case <-changed:
		case <-p.halt:
			return p.haltedEarly(), false
		}
	}
}

// haltedEarly ends a probe that is to end and whose host is not there; false if it is
// only left.
func (p *Process) haltedEarly() bool {
	if p.hasBegun() || p.isLeft() {
		return false
	}
	p.all = true
	p.lose(errors.New("stopped before it began"))
	return true
}

// hasBegun reports whether the probe was seen to run.
func (p *Process) hasBegun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}
