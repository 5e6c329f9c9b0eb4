package curve

import "math"

// Option is a batch size to choose from.
type Option struct {
	Batch    float64
	Epochs   float64 // expected, to the target
	PerEpoch float64 // dollars, or seconds, of an epoch
	Tried    bool    // trained with before
	Error    float64 // standard deviation of Epochs, in the logarithm, of those tried
	Never    float64 // probability that the target is never reached; NaN is taken as 0
}

// caution is how much more than predicted an untried batch size costs on
// average: predictions err upwards now and then, by a lot (mean of truth over
// prediction on Zeus' trace, NSDI 2023: 1.03 to 1.09).
const caution = 0.08

// optimism is how many standard deviations too low the least of a few means of
// several seeds usually is: the least of two equal ones 0.56.
const optimism = 0.5

// Choose returns the index of the option that costs least on average until a
// training reaches the target; -1 where there is none to choose. Untried batch
// sizes count with what they usually cost beyond their prediction, tried ones
// with what few seeds may have flattered them by. Nor is it
// bet on one of them needing fewer epochs than the tried ones next to it: it has
// to be cheaper by its faster epochs.
func Choose(options []Option) int {
	best, least := -1, math.Inf(1)
	for i, o := range options {
		cost := o.Epochs * o.PerEpoch * (1 + optimism*o.Error)
		if !o.Tried {
			cost = math.Max(o.Epochs, leastBeside(options, o.Batch)) * o.PerEpoch * (1 + caution)
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

// leastBeside is the least number of epochs of the tried batch sizes next below
// and above; 0 where none was tried.
func leastBeside(options []Option, batch float64) float64 {
	below, above := Option{Batch: 0}, Option{Batch: math.Inf(1)}
	for _, o := range options {
		switch {
		case !o.Tried:
		case o.Batch <= batch && o.Batch > below.Batch:
			below = o
		case o.Batch >= batch && o.Batch < above.Batch:
			above = o
		}
	}
	switch {
	case below.Tried && above.Tried:
		return math.Min(below.Epochs, above.Epochs)
	case below.Tried:
		return below.Epochs
	}
	return above.Epochs
}
