package estimate

import (
	"math"
	"slices"
)

// Quantile is the value that a share p of sorted values stays below, interpolated between the two that it
// falls between, as numpy and R do by default (rule 7 of Hyndman and Fan 1996, Sample quantiles in
// statistical packages): the median of an even number is the mean of the middle two. It is NaN of none.
func Quantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	below, part := math.Modf(p * float64(n-1))
	at := sorted[int(below)]
	if part == 0 || sorted[int(below)+1] == at { // which may be without end
		return at
	}
	return at + part*(sorted[int(below)+1]-at)
}

// Median is that of values in any order; NaN of none.
func Median(values []float64) float64 { return Quantile(slices.Sorted(slices.Values(values)), 0.5) }
