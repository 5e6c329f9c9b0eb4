package mix

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sweetspot/data/contract"
	"sweetspot/data/workload"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/screens/traffic/sliders"
)

// Answer is what serves a mix; nobody changes it.
type Answer struct {
	Question  Question
	Load      workload.Requests // that was asked about
	Mix       *serving.MixAnswer
	Described contract.Mix
	Late      [][]serving.Span // by scheme, of all kinds
	Why       string           // nothing was simulated; "" where it was
	Unserved  int              // the kind that is why; -1 where none is
	asked     serving.Mix
}

// of is what serves a kind, nil where nothing does or the row is that of all kinds.
func (a *Answer) of(kind int) *serving.Group {
	if a.Mix == nil || kind >= len(a.Mix.Of) {
		return nil
	}
	return &a.Mix.Groups[a.Mix.Of[kind]]
}

// solve answers a question without intervals.
func solve(t workload.Requests, set *profile.Set, q Question) *Answer {
	a := &Answer{Question: q, Load: sliders.Requests(q.Load, t), Unserved: -1}
	err := q.check()
	if err == nil {
		a.asked = q.mix(a.Load)
		a.Mix, err = a.asked.Answer(set)
	}
	if err != nil {
		a.Why = figure.Why(err)
		if of := (*serving.KindError)(nil); errors.As(err, &of) {
			a.Unserved = of.Kind
		}
		return a
	}
	a.describe()
	a.Late = a.Mix.Spans()
	return a
}

// check refuses a kind without models, which the engine would serve with the study's VM.
func (q Question) check() error {
	for i, w := range q.Kinds {
		if len(w.Models) == 0 {
			return &serving.KindError{Kind: i, Name: w.Name, Err: errors.New("they name no model: m chooses some")}
		}
	}
	return nil
}

// mix is what the engine is asked.
func (q Question) mix(load workload.Requests) serving.Mix {
	m := serving.Mix{Trace: load.Arrivals.Scaled(q.Scale), Kinds: slices.Clone(q.Kinds), Settings: q.Settings(),
		MaxViolations: q.MostLate}
	for i := range m.Kinds {
		m.Kinds[i].USDPerHour = q.USDPerHour
		if q.FromTrace {
			m.Parts = append(m.Parts, load.Kinds[i].Trace.Scaled(q.Scale))
		}
	}
	m.Settings.RelaxedLimitS = q.RelaxedS
	m.Settings.StrictLimitS = min(m.Settings.StrictLimitS, q.RelaxedS) // each kind has its own
	m.SpanS = figure.SpanS(len(m.Trace))
	return m
}

// describe puts numbers into the form that is drawn and written.
func (a *Answer) describe() {
	in := contract.MixInput{Mix: a.asked, Answer: a.Mix}
	in.Source, in.Remarks = a.Load.Described()
	if m := a.Load.Made; m != nil && len(m.Phases) == 0 {
		in.Seed = &m.Seed
	}
	if a.Question.Scale != 1 {
		in.Source += fmt.Sprintf(", times %g", a.Question.Scale)
	}
	a.Described = contract.NewMix(in)
}

// withIntervals adds intervals to an answer.
func withIntervals(a *Answer) ask.Work[*Answer] {
	if a.Why != "" {
		return nil
	}
	return func(context.Context) *Answer {
		full, err := a.intervals()
		if err != nil {
			return nil
		}
		return full
	}
}

func (a *Answer) intervals() (*Answer, error) {
	full := *a
	var err error
	if full.Mix, err = a.Mix.Intervals(); err != nil {
		return nil, err
	}
	full.describe()
	return &full, nil
}

// name is what a kind is called; that after the last one is all of them.
func (q *Question) name(k int) string {
	if k >= len(q.Kinds) {
		return "all requests"
	}
	return plaintext.Line(q.Kinds[k].Name, 200)
}
