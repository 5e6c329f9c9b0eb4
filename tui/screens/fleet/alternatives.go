package fleet

import (
	"context"
	"math"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
)

// Alternatives are what else could be done than what is asked. They take longer
// than an answer and come when the sliders rest.
type Alternatives struct {
	Seq      int
	Question Question
	Sizes    []fleet.Size     // bills of other numbers of reserved VMs
	Come     fleet.AsTheyCome // ApproxDNN's offers, reduced jobs running as they come
	// Schedulers are the bills without offers, in the order of [fleet.Schedulers].
	Schedulers []fleet.Bill

	draws *[4]float64
}

// compared reports whether the alternatives are to what is shown.
func (s *Screen) compared() bool {
	return s.alternatives != nil && s.alternatives.Question == s.answer.Question && s.alternatives.draws == s.answer.draws
}

// unsized is a question without the number of VMs, on which the sizes don't
// depend.
func unsized(q Question) Question {
	q.VMs = 0
	return q
}

// compare finds out what else could be done than what is shown; it ends early with
// its context, and then gives nil.
func (s *Screen) compare() tea.Cmd {
	a, last := s.answer, s.alternatives
	if a == nil || s.compared() {
		return nil
	}
	return s.comparing.Ask(s.Shell.Ctx, func(ctx context.Context) *Alternatives {
		o := &Alternatives{Seq: a.Seq, Question: a.Question, draws: a.draws}
		o.Come = a.Engine.AsTheyCome(a.Result.Tasks, approx.ApproxDNN)
		o.Schedulers = a.Engine.Others(a.Result.Tasks)
		if last != nil && last.draws == a.draws && unsized(last.Question) == unsized(a.Question) {
			o.Sizes = last.Sizes
		} else {
			o.Sizes = a.Engine.Sizes(ctx, a.Result.Tasks, math.MaxInt)
		}
		if ctx.Err() != nil {
			return nil
		}
		return o
	})
}

// receiveAlternatives shows them, unless what is shown has changed meanwhile.
func (s *Screen) receiveAlternatives(o *Alternatives) {
	if o == nil || s.answer == nil || o.Question != s.answer.Question || o.draws != s.answer.draws {
		return
	}
	s.alternatives = o
	s.refresh()
}
