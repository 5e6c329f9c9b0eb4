package curve

import "math"

// Option is a batch size to choose from.
type Option struct {
	Cost  float64 // expected dollars, or seconds, of training to the target
	Tried bool    // trained with before
	Never float64 // probability that the target is never reached; NaN is taken as 0
}

// caution is how much more than predicted an untried batch size costs on
// average: predictions err upwards now and then, by a lot (mean of truth over
// prediction on Zeus' trace, NSDI 2023: 1.03 to 1.09).
const caution = 0.08

// Choose returns the index of the option that costs least on average until a
// training reaches the target, untried ones counted with what they usually cost
// beyond their prediction; -1 where there is none to choose.
func Choose(options []Option) int {
	best, least := -1, math.Inf(1)
	for i, o := range options {
		cost := o.Cost
		if !o.Tried {
			cost *= 1 + caution
		}
		if o.Never > 0 {
			cost /= math.Max(1-o.Never, 1e-9) // on average it takes so many attempts
		}
		if cost < least {
			best, least = i, cost
		}
	}
	return best
}
