package runtime

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/profile"
)

// Totals predicts the total time of training runs from their first epochs, by
// what complete runs did after theirs. It may be used from several goroutines.
type Totals struct {
	steps    []int // numbers of known epochs for which there is evidence, rising
	evidence []evidence
}

// evidence is what complete runs say, seen from the end of one of their epochs.
type evidence struct {
	known     int
	models    map[string]int
	courses   []course // by model, then by body
	first     []int    // of each model, and the end: places in courses
	byLast    []int    // as courses, but each model's ordered by last
	uneven    []bool   // of each model: its epochs are not equal work
	residuals []residual
}

// residual is how far a prediction for a complete run was off that was made
// without its series.
type residual struct {
	course int
	size   float64 // |ln(real/predicted)| of the time after the known epochs
	weight float64 // runs of a series weigh 1 together
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

// arrange orders the courses for weighted medians.
func (e *evidence) arrange() {
	e.byLast = make([]int, len(e.courses))
	for i := range e.courses {
		e.byLast[i] = i
	}
	slices.SortStableFunc(e.byLast, func(i, j int) int {
		a, b := &e.courses[i], &e.courses[j]
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.last, b.last))
	})
	e.first, e.uneven = make([]int, len(e.models)+1), make([]bool, len(e.models))
	for m := range e.uneven {
		e.first[m+1] = e.first[m]
		var uneven []float64
		for e.first[m+1] < len(e.courses) && e.courses[e.first[m+1]].model == m {
			uneven = append(uneven, e.courses[e.first[m+1]].uneven)
			e.first[m+1]++
		}
		e.uneven[m] = middle(uneven) > evenWithin
	}
}

// test predicts every complete run without its own series, to see how far off
// such predictions are.
func (e *evidence) test() {
	weights := make([]float64, len(e.courses))
	for i := range e.courses {
		c := &e.courses[i]
		for _, r := range c.runs {
			q := question{model: c.model, series: c.series, hidden: true, pace: r.pace, epochs: r.epochs, left: r.epochs - float64(e.known)}
			e.weigh(q, weights)
			rest := e.rest(q, weights)
			e.residuals = append(e.residuals, residual{i, math.Abs(math.Log(r.rest / rest)), 1 / float64(len(c.runs))})
		}
	}
	slices.SortFunc(e.residuals, func(a, b residual) int { return cmp.Compare(a.size, b.size) })
}
