package fleet

import (
	"context"
	"math"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
)

// Outlook is what else could be done than what is asked. It takes longer than
// an answer and comes when the hand rests.
type Outlook struct {
	Seq      int
	Question Question
	Sizes    []fleet.Size     // bills of other numbers of reserved VMs
	Come     fleet.AsTheyCome // ApproxDNN's offers, reduced jobs running as they come
	// Schedulers are the bills without offers, in the order of [fleet.Schedulers].
	Schedulers []fleet.Bill

	draws *[4]float64
}

// NeedsOutlook reports whether the outlook shown is of another question than the
// answer.
func (s *Screen) NeedsOutlook() bool { return s.answer != nil && !s.looked() }

// looked reports whether the outlook is of what is shown.
func (s *Screen) looked() bool {
	return s.outlook != nil && s.outlook.Question == s.answer.Question && s.outlook.draws == s.answer.draws
}

// unsized is a question without the number of VMs, on which the sizes don't
// depend.
func unsized(q Question) Question {
	q.VMs = 0
	return q
}

// Look returns the work of looking around the answer shown; it ends early with
// ctx, and then gives nil.
func (s *Screen) Look() func(ctx context.Context) *Outlook {
	a, last := s.answer, s.outlook
	return func(ctx context.Context) *Outlook {
		o := &Outlook{Seq: a.Seq, Question: a.Question, draws: a.draws}
		o.Come = a.Engine.AsTheyCome(a.Result.Tasks, approx.ApproxDNN)
		for _, scheduler := range fleet.Schedulers {
			o.Schedulers = append(o.Schedulers, a.Engine.Under(scheduler, a.Result.Tasks))
		}
		if last != nil && last.draws == a.draws && unsized(last.Question) == unsized(a.Question) {
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

// ReceiveOutlook shows an outlook, unless what is shown has changed meanwhile.
func (s *Screen) ReceiveOutlook(o *Outlook) {
	if o == nil || s.answer == nil || o.Question != s.answer.Question || o.draws != s.answer.draws {
		return
	}
	s.outlook = o
	s.refresh()
}
