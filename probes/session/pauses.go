package session

import (
	"sweetspot/engine/profile"
	"sweetspot/probes/protocol"
)

// pause is placed after the number of steps that the first rank had done: in
// data-parallel training it writes the checkpoints. Other ranks may be ahead by
// steps still queued on their devices.
func (p *state) pause(e protocol.Pause, now float64) {
	done := p.counts[0]
	if done == 0 {
		done = p.series.Len()
	}
	pause := profile.Pause{AtS: at(e.T, now), Seconds: e.Seconds, Kind: e.Kind, Iterations: &done}
	p.pauses = append(p.pauses, pause)
	p.batch.Pauses = append(p.batch.Pauses, pause)
	p.pausedS[done] += e.Seconds
}

// withoutPause is the time of a rank's step without its wait for the first
// rank, which paused before that step and does not count the pause as its own
// step time. Otherwise a checkpoint would count both as a pause and as a slow
// step.
func (p *state) withoutPause(e protocol.Iteration, step int) float64 {
	if paused := p.pausedS[step]; e.Rank != 0 && e.Seconds >= paused {
		return e.Seconds - paused
	}
	return e.Seconds
}
