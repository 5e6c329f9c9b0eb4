package wording

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// WhyNothing explains an empty ranking: the constraint that rules everything
// out, and how far it would have to give.
func WhyNothing(r *rank.Result) string {
	n := r.Space.Len()
	all := r.RulesOutAll()
	if len(all) == 0 {
		var parts []string
		for _, c := range []question.Constraint{question.Accuracy, question.Time, question.Cost, question.GPUMemory} {
			if k := r.Because[c]; k > 0 {
				parts = append(parts, fmt.Sprintf("%s rules out %d", c, k))
			}
		}
		return fmt.Sprintf("no constraint alone, but together they rule out all %d candidates (%s); loosen one", n, strings.Join(parts, ", "))
	}
	var parts []string
	for _, c := range all {
		parts = append(parts, fmt.Sprintf("%s rules out all %d candidates (%s)", c, n, nearest(r, c)))
	}
	return strings.Join(parts, "; ")
}

// nearest says which value of a constraint would let the first candidate in.
func nearest(r *rank.Result, c question.Constraint) string {
	best := func(column []float64) (v float64) {
		v = math.NaN()
		for _, x := range column {
			if math.IsNaN(v) || x < v {
				v = x
			}
		}
		return v
	}
	s := r.Space
	switch c {
	case question.Time:
		return "the fastest takes " + quantity.Duration(best(s.Time))
	case question.Cost:
		return "the cheapest costs " + quantity.Money(best(s.Cost))
	case question.Accuracy:
		v := best(s.Loss)
		if s.HigherIsBetter {
			v = -v
		}
		if math.IsNaN(v) {
			return "no accuracy is known"
		}
		return "the best reaches " + Accuracy(v, s.HigherIsBetter)
	default:
		return "none fits the GPU's memory"
	}
}
