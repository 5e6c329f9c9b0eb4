package session

import (
	"sweetspot/engine/profile"
	"sweetspot/probes/protocol"
)

// pause is placed by the steps that the first rank had done: of a data-parallel
// training it is the one that writes checkpoints. Others may be ahead of it by
// what their devices have not worked off yet.
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

// withoutPause is the time of a rank's step without what it waited for the
// first rank, which paused before that step and takes it out of its own: else a
// checkpoint would be counted as a pause and as a slow step.
func (p *state) withoutPause(e protocol.Iteration, step int) float64 {
	if paused := p.pausedS[step]; e.Rank != 0 && e.Seconds >= paused {
		return e.Seconds - paused
	}
	return e.Seconds
}
