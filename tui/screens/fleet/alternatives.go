package fleet

import (
	"context"
	"math"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/tui/components/ask"
)

// Alternatives are what else could be done than what is asked.
type Alternatives struct {
	Seq      int
	Question Question
	Sizes    []fleet.Size     // bills of other numbers of reserved VMs
	Come     fleet.AsTheyCome // ApproxDNN's offers, reduced jobs running as they come
	// Schedulers are the bills without offers, in the order of [fleet.Schedulers].
	Schedulers []fleet.Bill
}

// unsized is a question without the number of VMs, on which the sizes don't
// depend.
func unsized(q Question) Question {
	q.VMs = 0
	return q
}

// alternatives finds out what else could be done than what is shown; the work ends
// early with its context, and then gives nil.
func (s *Screen) alternatives(a *Answer) ask.Work[*Alternatives] {
	last := s.Found
	return func(ctx context.Context) *Alternatives {
		o := &Alternatives{Seq: a.Seq, Question: a.Question}
		o.Come = a.Engine.AsTheyCome(a.Result.Tasks, approx.ApproxDNN)
		o.Schedulers = a.Engine.Others(a.Result.Tasks)
		if last != nil && unsized(last.Question) == unsized(a.Question) {
			o.Sizes = last.Sizes
		} else {
			o.Sizes = a.Engine.Sizes(ctx, a.Result.Tasks, math.MaxInt)
		}
		if ctx.Err() != nil {
			return nil
		}
		return o
	}
}
