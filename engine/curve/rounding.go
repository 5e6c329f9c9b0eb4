package curve

import (
	"math"

	"sweetspot/engine/estimate"
)

// Targets are checked after whole epochs: a training that reaches one within its
// third epoch counts as 3. Predictions are made in fractional epochs and turned
// into counted, whole epochs at the end; where trainings take few epochs this
// rounding is most of the error.

// fractional turns counted epochs into fractional ones: half an epoch less on
// average (a continuity correction).
func fractional(epochs float64) float64 { return math.Max(epochs-0.5, 0.5) }

// seedSpread is the standard deviation of ln(fractional epochs) of trainings that
// differ in their seed only. On Zeus' published trace (NSDI 2023) it is 0.05 to
// 0.19 for most targets, rounding included, with a median of 0.09. A greater one
// widens every interval.
const seedSpread = 0.08

// counted is the mean of the counted epochs of trainings whose fractional epochs
// are log-normal around a median, with the given standard deviation of the
// logarithm: the sum over k of the probability that more than k epochs are needed.
func counted(median, spread float64) float64 {
	if median > 20 {
		return median*math.Exp(spread*spread/2) + 0.5 // the steps no longer matter
	}
	certain := math.Exp(5 * spread) // beyond five standard deviations
	low, high := math.Floor(median/certain), math.Ceil(median*certain)
	epochs := 1 + low
	for k := low + 1; k <= high; k++ {
		epochs += 0.5 * math.Erfc(math.Log(k/median)/spread/math.Sqrt2)
	}
	return epochs
}

// countedRange is the 90 % interval of the counted epochs of one training. Its
// ends are whole numbers: no training ends between two epochs.
func countedRange(median, sigma float64) (low, high float64) {
	first, last := median*math.Exp(-estimate.Z90*sigma), median*math.Exp(estimate.Z90*sigma)
	low = math.Min(counted(first, seedSpread), math.Max(1, math.Ceil(first)))
	high = math.Max(counted(last, seedSpread), math.Ceil(last))
	return low, high
}
