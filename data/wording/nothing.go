package wording

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/engine/objective"
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
		for _, c := range question.Constraints() {
			if k := r.Because[c]; k > 0 {
				parts = append(parts, fmt.Sprintf("%s rules out %d", c, k))
			}
		}
		return fmt.Sprintf("no constraint alone, but together they rule out all %d candidates (%s); loosen one", n,
			strings.Join(parts, ", "))
	}
	var parts []string
	for _, c := range all {
		parts = append(parts, fmt.Sprintf("%s rules out all %d candidates (%s)", c, n, nearest(r, c)))
	}
	return strings.Join(parts, "; ")
}

// nearest says which value of a constraint would let the first candidate in.
func nearest(r *rank.Result, c question.Constraint) string {
	o, ok := r.Space.Objective(c)
	switch {
	case c == question.GPUMemory:
		return "none fits in the GPU's memory"
	case !ok:
		return fmt.Sprintf("no %s is known", c)
	}
	best := math.NaN()
	for _, v := range r.Space.Turned(c) {
		if math.IsNaN(best) || v < best {
			best = v
		}
	}
	if math.IsNaN(best) && c == objective.Accuracy {
		return "no accuracy is known"
	}
	return fmt.Sprintf("the %s %s %s", o.Best, o.Verb, o.Write(o.Turned(best)))
}
