package traffic

import (
	"context"
	"fmt"
	"math"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// Answer is what the schemes make of a question; nobody changes it.
type Answer struct {
	Question Question
	Engine   serving.Question
	Offers   []serving.Offer  // of the model
	Served   []serving.Served // each of the engine's variants
	Outcomes []serving.Outcome
	Spans    [][]serving.Span
	Why      string // there are no outcomes; "" where there are
}

// spans is about how many stretches of time the charts show.
const spans = 240

func solve(t Trace, set *profile.Set, q Question) *Answer {
	a := &Answer{Question: q}
	memory := serving.MemoryOf(serving.Defaults().Function.Seconds, serving.Defaults().Function.MemoryGB)
	a.Engine = serving.Question{Trace: t.Arrivals, Settings: serving.Defaults(), MaxViolations: mostViolations, Memory: &memory, MemoryGiven: q.MemoryGB > 0, Chosen: -1}
	if q.Scale != 1 {
		a.Engine.Trace = t.Arrivals.Scaled(q.Scale)
	}
	s := &a.Engine.Settings
	s.StrictLimitS, s.RelaxedLimitS, s.StrictShare, s.VM.StartS, s.VM.USDPerHour = q.LimitS, math.Max(s.RelaxedLimitS, q.LimitS), q.StrictShare, int(q.StartS+0.5), q.USDPerHour
	if q.Model != "" && !a.choose(set) {
		return a
	}
	gb := q.MemoryGB
	if gb == 0 {
		gb, _ = a.suits()
	}
	s.Function.MemoryGB, s.Function.Seconds = gb, memory.Seconds(gb)
	var err error
	a.Outcomes, a.Spans, err = serving.WatchAll(a.Engine.Trace, *s, max(1, (len(a.Engine.Trace)+spans-1)/spans))
	if err != nil {
		a.Why = err.Error()
	}
	return a
}

// mostViolations is the share of the queries that may miss their limit.
const mostViolations = 0.01

// suits is the function's memory that the limit asks for, and whether it is in
// time.
func (a *Answer) suits() (gb float64, inTime bool) {
	return a.Engine.Memory.Suits(a.Engine.Settings.StrictLimitS, a.Engine.Settings.Function.Prices)
}

// choose takes the cheapest variant of the model within the limits; it reports
// whether there is one.
func (a *Answer) choose(set *profile.Set) bool {
	q := a.Question
	a.Offers = serving.Offers(set, []string{q.Model}, q.USDPerHour)
	if !serving.Alike(a.Offers) {
		a.Why = fmt.Sprintf("The accuracies of %s are of different metrics and can't be compared: keep the runs of one.", clean(q.Model))
		return false
	}
	pool, served := serving.Choose(a.Offers, q.LimitS, a.Engine.Trace.Mean())
	a.Engine.Variants, a.Served = pool, served
	if len(served) == 0 {
		a.Why = fmt.Sprintf("No run of %s answers within %s: loosen the limit, or probe smaller batches.", clean(q.Model), quantity.Duration(q.LimitS))
		return false
	}
	limits := serving.Limits{LatencyS: &q.LimitS}
	if q.MinAccuracy > 0 {
		limits.Accuracy = &q.MinAccuracy
	}
	within := pool.Within(limits, serving.Cost)
	if len(within) == 0 {
		a.Why = fmt.Sprintf("No variant of %s is that accurate within %s: loosen one of the limits.", clean(q.Model), quantity.Duration(q.LimitS))
		return false
	}
	a.Engine.Serve(a.Offers, pool, served, within[0])
	return true
}

// chosen is the offer that is served; nil for the study's VM.
func (a *Answer) chosen() *serving.Offer {
	if a.Engine.Chosen < 0 || len(a.Served) == 0 {
		return nil
	}
	return &a.Offers[a.Served[a.Engine.Chosen].Offer]
}

// VM names the VM type that serves.
func (a *Answer) VM() string {
	if o := a.chosen(); o != nil {
		return o.VM.InstanceType
	}
	return ""
}

// Advice is for an answer. It takes longer than the answer: while a slider is
// moved, it is that of some steps before.
type Advice struct {
	serving.Advice
	answer *Answer
}

// advised reports whether the advice is for what is shown.
func (s *Screen) advised() bool { return s.advice != nil && s.advice.answer == s.answer }

// advise seeks the advice for what is shown; without an answer to advise on it
// gives nil.
func (s *Screen) advise() tea.Cmd {
	a := s.answer
	if a == nil || a.Why != "" || s.advised() || s.advising.Busy() {
		return nil
	}
	return s.advising.Ask(s.Shell.Ctx, func(context.Context) *Advice {
		advice, err := serving.Advise(a.Engine)
		if err != nil {
			return nil
		}
		return &Advice{advice, a}
	})
}

// receiveAdvice shows advice, unless what is shown has changed meanwhile.
func (s *Screen) receiveAdvice(advice *Advice) {
	if advice == nil || advice.answer != s.answer {
		return
	}
	s.advice = advice
	s.refresh()
}
