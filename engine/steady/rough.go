package steady

import (
	"math"

	"sweetspot/engine/estimate"
)

// parts is how many parts of the later half of an unsteady series are compared.
const parts = 4

// minRatio is the least ratio that the parts are taken to differ by: what keeps
// the series from being steady may not show in them. A greater one widens the
// interval.
const minRatio = 1.05

// rough is the mean of the later half of the first n iterations, in seconds, for a
// series that is not steady. The interval reaches beyond the fastest and the
// slowest of its quarters by their ratio, since where the times go from there is
// unknown.
func (s *Series) rough(n int) (mean estimate.Estimate, warmup int) {
	from, to := (n-1)/2, n-1 // in prefix sums: after the first iteration
	between := func(a, b int) float64 { return (s.prefix[b] - s.prefix[a]) / float64(b-a) }
	low, high := math.Inf(1), 0.0
	for i := range parts {
		m := between(from+(to-from)*i/parts, from+(to-from)*(i+1)/parts)
		low, high = min(low, m), max(high, m)
	}
	apart := minRatio
	if low > 0 {
		apart = max(apart, high/low)
	}
	return estimate.Estimate{
		Value: between(from, to), Low: low / apart, High: high * apart, Basis: estimate.Measured,
	}, from
}
