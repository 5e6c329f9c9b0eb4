package curve

import (
	"math"

	"sweetspot/engine/estimate"
)

// Targets are checked after whole epochs: a training that gets there within its
// third counts as 3. Predictions are made of the moment within the training, in
// epochs, and turned into counted epochs at the end; where trainings take few
// epochs this rounding is most of what there is to get right.

// moment is where in a training a target was reached that counted epochs: half
// an epoch before the count on average.
func moment(epochs float64) float64 { return math.Max(epochs-0.5, 0.5) }

// seedSpread is the standard deviation, in the logarithm, of the moments of
// trainings that differ in their seed only. On Zeus' published trace (NSDI
// 2023) it is 0.05 to 0.19 for most targets, the rounding included, 0.09 in the
// middle.
const seedSpread = 0.08

// counted is the mean of the counted epochs of trainings that reach a target
// around a moment, with the given standard deviation of its logarithm: the sum
// over k of the chance that the k-th epoch ends before.
func counted(moment, spread float64) float64 {
	if moment > 20 {
		return moment*math.Exp(spread*spread/2) + 0.5 // nothing is left of the steps
	}
	certain := math.Exp(5 * spread)
	low, high := math.Floor(moment/certain), math.Ceil(moment*certain)
	epochs := 1 + low
	for k := low + 1; k <= high; k++ {
		epochs += 0.5 * math.Erfc(math.Log(k/moment)/spread/math.Sqrt2)
	}
	return epochs
}

// countedRange is the interval of the counted epochs of one training, whole
// numbers: it can't end between two epochs.
func countedRange(moment, sigma float64) (low, high float64) {
	first, last := moment*math.Exp(-estimate.Z90*sigma), moment*math.Exp(estimate.Z90*sigma)
	low = math.Min(counted(first, seedSpread), math.Max(1, math.Ceil(first)))
	high = math.Max(counted(last, seedSpread), math.Ceil(last))
	return low, high
}
