package training

import (
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Totals predicts the total time of training runs from their first epochs, by how
// complete runs went on after theirs. It is safe for concurrent use.
type Totals struct {
	steps    []int // numbers of known epochs for which there is evidence, rising
	evidence []evidence
}

// defaultSteps are the numbers of known epochs for which evidence is collected.
// Other numbers use that of the next lower one.
var defaultSteps = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}

// NewTotals collects evidence from the complete runs: those that are done, with a
// known total and known beginnings of epochs. Where only certain numbers of known
// epochs will be asked about, naming them as steps is faster.
func NewTotals(runs []profile.Run, steps ...int) *Totals {
	t := &Totals{}
	if len(steps) == 0 {
		steps = defaultSteps
	}
	for _, known := range slices.Sorted(slices.Values(steps)) {
		e := evidence{known: known, models: map[string]int{}}
		e.histories = historiesOf(runs, known, e.models)
		if len(e.histories) == 0 {
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
	Total  estimate.Estimate // seconds from the run's start
	Uneven bool              // its epochs are not, or seem not to be, equal work
	Words  string            // what it rests on, or why it is unsure
}

// Predict predicts the total of a training run of a number of epochs from its first
// known ones. It uses the run's model, variant and VM type, and nothing that
// happened after the known epochs.
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
		weights = make([]float64, len(e.histories))
		e.weigh(q, weights)
	} else {
		e = &evidence{known: known}
	}
	f := Forecast{}
	rest := e.rest(q, weights)
	off := math.Max(e.off(q, weights), estimate.Z90*q.pace.scatter)
	off, f.Uneven, f.Words = e.evenness(q, weights, p, off)
	start := p.StartsS[known]
	f.Total = estimate.Estimate{
		Value: start + rest, Low: start + rest*math.Exp(-off), High: start + rest*math.Exp(off), Basis: run.Basis,
	}
	return f
}

// seen is the evidence for a number of known epochs, nil where there is none.
func (t *Totals) seen(known int) *evidence {
	for i := len(t.steps) - 1; i >= 0; i-- {
		if t.steps[i] <= known {
			return &t.evidence[i]
		}
	}
	return nil
}
