package curve

import "math"

// Option is a batch size to choose from.
type Option struct {
	Batch    float64
	Epochs   float64 // expected, to the target
	PerEpoch float64 // US dollars, or seconds, of an epoch
	Tried    bool    // some training used it
	Error    float64 // standard error of ln(Epochs) where Tried
	Never    float64 // probability that the target is never reached; NaN is taken as 0
}

// untriedMarkup is how much more than predicted an untried batch size costs on
// average, as a fraction: now and then it needs many more epochs (the mean of
// true over predicted epochs on Zeus' trace, NSDI 2023, is 1.03 to 1.09). A
// greater one favours the batch sizes that were tried.
const untriedMarkup = 0.08

// selectionBias is by how many standard errors the least of a few means is too
// low: of two equal ones the lesser is, on average, 0.56 too low. A greater one
// favours batch sizes trained with more seeds.
const selectionBias = 0.5

// Choose returns the index of the option of least expected cost until a training
// reaches the target, -1 without options. The markups above apply. An untried
// batch size is not assumed to need fewer epochs than the tried ones next to it:
// it has to be cheaper by its faster epochs.
func Choose(options []Option) int {
	best, least := -1, math.Inf(1)
	for i, o := range options {
		cost := o.Epochs * o.PerEpoch * (1 + selectionBias*o.Error)
		if !o.Tried {
			cost = math.Max(o.Epochs, leastBeside(options, o.Batch)) * o.PerEpoch * (1 + untriedMarkup)
		}
		if o.Never > 0 {
			cost /= math.Max(1-o.Never, 1e-9) // the expected number of attempts is 1/(1-Never)
		}
		if cost < least {
			best, least = i, cost
		}
	}
	return best
}

// leastBeside is the lesser number of epochs of the next tried batch sizes below
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
