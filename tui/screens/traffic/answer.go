package traffic

import (
	"context"
	"errors"
	"math"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
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
	s.StrictLimitS, s.RelaxedLimitS, s.StrictShare, s.VM.StartS, s.VM.USDPerHour = q.LimitS, math.Max(s.RelaxedLimitS,
		q.LimitS), q.StrictShare, int(q.StartS+0.5), q.USDPerHour
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
		advice, err := serving.Advise(a.Engine.Question)
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
