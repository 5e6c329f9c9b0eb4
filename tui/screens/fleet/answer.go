package fleet

import (
	"context"
	"math"
	"slices"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/plot"
)

// Answer is what the policies make of a question; nobody changes it.
type Answer struct {
	Seq      int
	Question Question
	Engine   fleet.Question
	Result   *fleet.Answer
	Bills    []fleet.Bill // of the whole fleet, by policy
	Late     []int

	offers plot.Data
	costs  []plot.Line
}

// engineQuestion is a question in the engine's words.
func engineQuestion(t Trace, q Question) fleet.Question {
	out := fleet.Defaults()
	out.Jobs, out.Load, out.Seed = t.Jobs, t.Load, q.Seed
	out.Terms.Tightness, out.Terms.Speed, out.Terms.Mix = q.Tightness, q.Speed, t.Mix
	out.Fleet = fleet.Fleet{VMs: int(math.Round(q.VMs)), GPUsPerVM: q.GPUsPerVM, Scheduler: q.Scheduler,
		AsStudied: q.AsStudied}
	out.Prices = approx.Prices{Reserved: q.Reserved, OnDemand: q.OnDemand}
	out.Acceptance = approx.Acceptance{Shape: approx.Power, At: q.Reluctant}
	return out
}

func solve(seq int, t Trace, draws fleet.Draws, q Question) *Answer {
	a := &Answer{Seq: seq, Question: q, Engine: engineQuestion(t, q)}
	a.Result = a.Engine.Answer(draws)
	for i := range approx.Policies {
		a.Bills = append(a.Bills, a.Result.Bill(&a.Engine, i))
		a.Late = append(a.Late, a.Result.Late(&a.Engine, i))
	}
	a.layOffers()
	a.layCosts()
	return a
}

// layOffers are the offers of the policies over the time of submission, each
// point an offer.
func (a *Answer) layOffers() {
	d := plot.Data{Version: uint64(a.Seq), Of: "offers"}
	for k, p := range approx.Policies {
		if p == approx.OnDemand {
			continue
		}
		for i, s := range approx.Offers(p, a.Result.Asked, a.Engine.Prices, a.Engine.Acceptance) {
			if s > 0 {
				d.X = append(d.X, a.Result.Tasks[a.Result.Schedule.Candidates[i]].SubmitS)
				d.Y = append(d.Y, s)
				d.Class = append(d.Class, uint8(k))
			}
		}
	}
	a.offers = d
}

// layCosts are the distributions of what a job costs, as the share of jobs that
// cost no more, by policy.
func (a *Answer) layCosts() {
	for k, p := range approx.Policies {
		offers := approx.Offers(p, a.Result.Asked, a.Engine.Prices, a.Engine.Acceptance)
		usd := make([]float64, len(offers))
		for i, s := range offers {
			c := &a.Result.Asked[i]
			usd[i] = a.Engine.Prices.OnDemandUSD(c)
			if c.Draw < a.Engine.Acceptance.Probability(s, a.Engine.Prices.Most(c)) {
				usd[i], _ = a.Engine.Prices.Accepted(c, s)
			}
		}
		slices.Sort(usd)
		line := plot.Line{Class: k, X: usd, Y: make([]float64, len(usd))}
		for i := range line.Y {
			line.Y[i] = float64(i+1) / float64(len(usd))
		}
		a.costs = append(a.costs, line)
	}
}

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
