package curve

import "math"

// chance is the probability that a target is never reached with a batch size.
type chance struct{ log2, never float64 }

// smoothed is the share of trainings that never reached the target, as if one
// more had been seen of which a fifth failed.
func (r Reached) smoothed() float64 { return (float64(r.Never) + 0.2) / (float64(r.Runs) + 1) }

// forgetting is the share of what is known that is left a doubling away from
// the batch sizes trained with.
const forgetting = 0.8

// neverAt goes straight between the batch sizes trained with, by their
// logarithm; beyond them it draws near to one half.
func (t *Target) neverAt(batch float64) float64 {
	n := len(t.never)
	if n == 0 || !(batch > 0) {
		return math.NaN()
	}
	x := math.Log2(batch)
	for i, c := range t.never {
		switch {
		case x <= c.log2 && i == 0:
			return 0.5 + (c.never-0.5)*math.Pow(forgetting, c.log2-x)
		case x <= c.log2:
			before := t.never[i-1]
			return before.never + (c.never-before.never)*(x-before.log2)/(c.log2-before.log2)
		}
	}
	last := t.never[n-1]
	return 0.5 + (last.never-0.5)*math.Pow(forgetting, x-last.log2)
}
