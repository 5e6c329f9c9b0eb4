package steady

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
	"sweetspot/engine/estimate"
)

const (
	fewestMeans = 5  // batch means an interval needs at least
	mostMeans   = 20 // more do not narrow the interval, longer batches make it honest
	meanLength  = 10 // iterations of a batch once there are enough
	driftLevel  = 0.01
)

// interval is the mean of the times after the first iteration from index
// start on, with its 90 % batch-means interval, and the significant drift.
//
// Iteration times are correlated (input queues, clocks), so the spread of
// single times would promise too much; the spread of means of long batches
// holds the correlation within them, and what is left between neighbouring
// batches scales the variance as in an AR(1) series.
func (s *Series) interval(start int, mean float64) (e estimate.Estimate, drift float64) {
	n := len(s.prefix) - 1 - start
	k := min(max(n/meanLength, fewestMeans), mostMeans)
	length := n / k
	means := make([]float64, k)
	from := start + n - k*length // the odd iterations are left out at the front, where warm-up may linger
	for i := range means {
		lo := from + i*length
		means[i] = (s.prefix[lo+length] - s.prefix[lo]) / float64(length)
	}
	m2, lag := spread(means)
	variance := m2 / float64(k-1) / float64(k) * (1 + lag) / (1 - lag)
	half := quantile(0.95, k-1) * math.Sqrt(variance)
	drift = slope(means, mean)
	e = estimate.Around(mean, half, estimate.Measured)
	// A drift that went on as long again would reach this far; it widens the
	// side it points to.
	e.High += mean * max(0, drift)
	e.Low = max(0, e.Low+mean*min(0, drift))
	return e, drift
}

// spread returns the sum of squared deviations and the positive part of the
// lag-1 autocorrelation, capped where a few means cannot tell it.
func spread(means []float64) (m2, lag float64) {
	var all moments
	for _, x := range means {
		all = all.plus(moments{1, x, 0})
	}
	if all.m2 == 0 {
		return 0, 0
	}
	product := 0.0
	for i := 1; i < len(means); i++ {
		product += (means[i] - all.mean) * (means[i-1] - all.mean)
	}
	// The estimate from k values is biased by about -1/k; without the
	// correction a short series looks less correlated than it is.
	return all.m2, min(max(product/all.m2+1/all.n, 0), 0.6)
}

// slope is the change of the means from first to last batch relative to the
// mean if a t-test finds it significant, else 0.
func slope(means []float64, mean float64) float64 {
	k := float64(len(means))
	mid := (k - 1) / 2
	var all moments
	sxy, sxx := 0.0, 0.0
	for i, y := range means {
		all = all.plus(moments{1, y, 0})
		dx := float64(i) - mid
		sxy += dx * (y - mean)
		sxx += dx * dx
	}
	if mean == 0 || all.m2 == 0 {
		return 0
	}
	b := sxy / sxx
	residual := max(0, all.m2-b*sxy) / (k - 2)
	if math.Abs(b) <= quantile(1-driftLevel/2, int(k)-2)*math.Sqrt(residual/sxx) {
		return 0
	}
	change := b * (k - 1) / mean
	if math.Abs(change) < 1e-9 { // rounding of the sums, not a trend
		return 0
	}
	return change
}

// quantiles of Student's t are looked up in tables filled at start: the
// inverse incomplete beta function costs more than the rest of a judgement.
var (
	t95  = tTable(0.95)
	t995 = tTable(1 - driftLevel/2)
)

func tTable(p float64) (table [mostMeans]float64) {
	for nu := 1; nu < mostMeans; nu++ {
		table[nu] = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(nu)}.Quantile(p)
	}
	return table
}

func quantile(p float64, nu int) float64 {
	if p == 0.95 {
		return t95[nu]
	}
	return t995[nu]
}
