package steady

import (
	"math"

	"sweetspot/engine/estimate"
)

// stretches is how many parts of the later half of an unsteady series are
// compared.
const stretches = 4

// leastApart is the factor that the quarters are taken to be apart at least: what
// keeps the series from being steady may not lie in them.
const leastApart = 1.05

// rough is what can be said of the first n iterations where they are not
// steady: the mean of their later half. The interval reaches beyond the
// fastest and the slowest of its quarters by the factor that these are apart,
// since where the times go from there is unknown.
func (s *Series) rough(n int) (mean estimate.Estimate, warmup int) {
	from, to := (n-1)/2, n-1 // in prefix sums: after the first iteration
	between := func(a, b int) float64 { return (s.prefix[b] - s.prefix[a]) / float64(b-a) }
	low, high := math.Inf(1), 0.0
	for i := range stretches {
		m := between(from+(to-from)*i/stretches, from+(to-from)*(i+1)/stretches)
		low, high = min(low, m), max(high, m)
	}
	apart := leastApart
	if low > 0 {
		apart = max(apart, high/low)
	}
	return estimate.Estimate{Value: between(from, to), Low: low / apart, High: high * apart, Basis: estimate.Measured}, from
}
