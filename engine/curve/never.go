package curve

import "math"

// chance is the probability that a target is never reached with a batch size.
type chance struct{ log2, never float64 }

// expected is how much of a training is taken to fail before any was seen. Of
// Zeus' trace (NSDI 2023) fewer fail, one in twenty foretells each of its
// trainings from the others best (log score 0.062, with a fifth 0.082, with one
// half 0.130), but those are published ones with batch sizes that suit them: a
// user's that were never tried may not.
const expected = 0.2

// smoothed is the share of trainings that never reached the target, as if one
// more had been seen that failed as expected.
func (r Reached) smoothed() float64 { return (float64(r.Never) + expected) / (float64(r.Runs) + 1) }

// forgetting is the share of what is known that is left a doubling away from
// the batch sizes trained with. Of Zeus' trace, with the smallest or the largest
// batch size left out, it foretells best who never reaches a target there: log
// score 0.205, with 0.8 it is 0.237 and with 0.5 0.370. Nothing forgotten does
// better still, 0.189, but these are one doubling away from the next: further out
// it would be too sure.
const forgetting = 0.9

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
