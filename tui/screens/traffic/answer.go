package traffic

import (
	"context"
	"errors"
	"math"
	"unicode"

	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/ask"
)

// Answer is what the schemes make of a question; nobody changes it.
type Answer struct {
	Question Question
	Engine   serving.Procured
	Outcomes []serving.Outcome
	Spans    [][]serving.Span
	Why      string // there are no outcomes; "" where there are
}

// spans is about how many stretches of time the charts show.
const spans = 240

func solve(t Trace, set *profile.Set, q Question) *Answer {
	a := &Answer{Question: q}
	engine := serving.Question{Trace: t.Arrivals, Settings: serving.Defaults(), MaxViolations: serving.UsualViolations}
	if q.Scale != 1 {
		engine.Trace = t.Arrivals.Scaled(q.Scale)
	}
	s := &engine.Settings
	s.StrictLimitS, s.RelaxedLimitS, s.StrictShare = q.LimitS, math.Max(s.RelaxedLimitS, q.LimitS), q.StrictShare
	s.VM.StartS, s.VM.USDPerHour = int(q.StartS+0.5), q.USDPerHour
	var err error
	if a.Engine, err = q.wanted().Procure(engine, set); err == nil {
		a.Outcomes, a.Spans, err = serving.WatchAll(a.Engine.Trace, a.Engine.Settings,
			max(1, (len(a.Engine.Trace)+spans-1)/spans))
	}
	if err != nil {
		a.Why = why(err)
	}
	return a
}

// wanted is what is to serve.
func (q Question) wanted() serving.Wanted {
	w := serving.Wanted{USDPerHour: q.USDPerHour, Best: serving.Cost, MemoryGB: q.MemoryGB}
	if q.Model != "" {
		w.Models = []string{q.Model}
	}
	if q.MinAccuracy > 0 {
		w.MinAccuracy = &q.MinAccuracy
	}
	return w
}

// why says in a sentence that nothing serves, and the mend.
func why(err error) string {
	words := []rune(err.Error())
	words[0] = unicode.ToUpper(words[0])
	mend := ""
	if infeasible := (*serving.InfeasibleError)(nil); errors.As(err, &infeasible) {
		mend = ": loosen one of the limits"
		if infeasible.Of == serving.Latency {
			mend = ": loosen the limit, or probe smaller batches"
		}
	}
	return string(words) + mend + "."
}

// suits is the function's memory that the limit asks for, and whether it is in
// time.
func (a *Answer) suits() (gb float64, inTime bool) {
	return a.Engine.Memory.Suits(a.Engine.Settings.StrictLimitS, a.Engine.Settings.Function.Prices)
}

// advise seeks the advice for an answer; without outcomes there is none.
func advise(a *Answer) ask.Work[*serving.Advice] {
	if a.Why != "" {
		return nil
	}
	return func(context.Context) *serving.Advice {
		advice, err := serving.Advise(a.Engine.Question)
		if err != nil {
			return nil
		}
		return &advice
	}
}
