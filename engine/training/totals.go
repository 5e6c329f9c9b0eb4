package training

import (
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Totals predicts the total time of training runs from their first epochs, by
// what complete runs did after theirs. It may be used from several goroutines.
type Totals struct {
	steps    []int // numbers of known epochs for which there is evidence, rising
	evidence []evidence
}

// seenFrom are the numbers of known epochs from whose ends complete runs are
// looked at. What is known of others is taken from the next lower one.
var seenFrom = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}

// NewTotals looks at the complete runs of a set: those that are done, whose
// total and whose epochs' beginnings are known. Leave runs out that must not be
// known. Where only certain numbers of known epochs will be asked about, name
// them to be faster.
func NewTotals(runs []profile.Run, steps ...int) *Totals {
	t := &Totals{}
	if len(steps) == 0 {
		steps = seenFrom
	}
	for _, known := range slices.Sorted(slices.Values(steps)) {
		e := evidence{known: known, models: map[string]int{}}
		e.courses = coursesOf(runs, known, e.models)
		if len(e.courses) == 0 {
			continue
		}
		e.arrange()
		e.test()
		t.steps, t.evidence = append(t.steps, known), append(t.evidence, e)
	}
	return t
}

// Forecast is the predicted total of a training run.
type Forecast struct {
	Total  estimate.Estimate // seconds from the run's start; unknown where nothing is
	Uneven bool              // its epochs are not equal work, or seem not to be
	Words  string            // on what it rests, or why it is unsure
}

// Predict is the total of a training run of so many epochs, told from its first
// ones. Of the run its model, variant and VM type are used, and nothing that
// happened after its epoch known.
func (t *Totals) Predict(run profile.Run, known int, epochs float64) Forecast {
	p, ok := FirstEpochs(run, known)
	if !ok || run.Mode != profile.Train || !(epochs >= float64(known)) || math.IsInf(epochs, 0) {
		return Forecast{}
	}
	q := question{model: -1, series: SeriesOf(run), pace: p.pace(epochs), epochs: epochs, left: epochs - float64(known)}
	e := t.seen(known)
	var weights []float64
	if e != nil {
		if m, seen := e.models[run.Model]; seen {
			q.model = m
		}
		weights = make([]float64, len(e.courses))
		e.weigh(q, weights)
	} else {
		e = &evidence{known: known}
	}
	f := Forecast{}
	rest := e.rest(q, weights)
	off := math.Max(e.off(q, weights), estimate.Z90*q.pace.scatter)
	off, f.Uneven, f.Words = e.evenness(q, weights, p, off)
	start := p.StartsS[known]
	f.Total = estimate.Estimate{Value: start + rest, Low: start + rest*math.Exp(-off), High: start + rest*math.Exp(off), Basis: run.Basis}
	return f
}

// seen is the evidence for that many known epochs, nil where there is none.
func (t *Totals) seen(known int) *evidence {
	for i := len(t.steps) - 1; i >= 0; i-- {
		if t.steps[i] <= known {
			return &t.evidence[i]
		}
	}
	return nil
}
