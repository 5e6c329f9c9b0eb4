package session

import (
	"fmt"

	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
)

// awaited is what a probe that is precise goes on for: the end of the first epoch, where a
// validation and a checkpoint may come that all epochs have, or of the training itself.
type awaited struct {
	what  string  // in words; "" for nothing
	since float64 // seconds after the start at which the probe was precise; 0 before
	until float64 // and after which it waits no longer
}

// awaits reports whether the probe, which is precise, goes on for the end of an epoch or of the
// training. That end must be near: no further than what it has measured took, nor than the
// rule refines a mean. In a queue, where events come late, it does not wait.
func (l *loop) awaits(s steady.Summary) bool {
	if !l.options.Hooked || l.options.RunsHarness || l.isQueued() {
		return false
	}
	now := l.elapsed()
	if l.awaited.since == 0 {
		near := min(l.rule.RefineSeconds, float64(s.N)*s.Steady.Value)
		l.awaited = awaited{l.state.nearEnd(s, near), now, now + 2*near}
	}
	came := l.awaited.what == endOfEpoch && l.state.turned
	return l.awaited.what != "" && !came && now <= l.awaited.until
}

// goOn is the verdict on a probe that awaits something though it is precise: only a cap ends it.
func (l *loop) goOn(s steady.Summary) steady.Verdict {
	rule := l.rule
	rule.CapsOnly = true
	v := rule.Judge(s, l.elapsed())
	if !v.Stop {
		v.Words = fmt.Sprintf("±%.1f %%, goes on to %s", 100*s.Steady.HalfWidth(), l.awaited.what)
	}
	return v
}

const (
	endOfEpoch    = "the end of the first epoch"
	endOfTraining = "the end of the training"
)

// nearEnd is the end that the training comes to within so many seconds; "" for none.
func (p *state) nearEnd(s steady.Summary, within float64) string {
	d, done := p.described, float64(p.series.Len())
	if d.Mode != profile.Train || p.workOnly || p.drawn > 0 {
		return ""
	}
	isNear := func(end *float64) bool { return end != nil && (*end-done)*s.Steady.Value <= within }
	length := d.Steps
	if length == nil && d.Epochs != nil && d.IterationsPerEpoch != nil {
		length = new(*d.Epochs * *d.IterationsPerEpoch)
	}
	switch {
	case isNear(length):
		return endOfTraining
	case d.Steps == nil && !p.turned && isNear(d.IterationsPerEpoch):
		return endOfEpoch
	}
	return ""
}
