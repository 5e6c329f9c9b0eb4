package steady

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"sweetspot/engine/estimate"
)

// How the interval of a mean is made. Each was halved and doubled on its own with
// the simulated and recorded series of the stop rule's tests, whose coverage is
// 93.9 and 86.3 % (go test -v -run StopRule).
const (
	// Fewer batch means than minBatchMeans tell no spread of their own; twice as many
	// lower the coverage by half a point. With maxBatchMeans batches get longer
	// instead, and so less correlated; half or double lowers the coverage on recorded
	// series by 2.5 points. So does double minBatchLength, iterations in a batch.
	minBatchMeans  = 5
	maxBatchMeans  = 20
	minBatchLength = 10

	// driftSignificance is the level of the slope test. At 0.05 a third more probes
	// are given up, at 0.001 real drifts are missed.
	driftSignificance = 0.01

	// maxAutocorrelation bounds the lag-1 autocorrelation in the AR(1) formula, which
	// diverges at 1; a stronger one shows in the batch means and the drift, so that
	// 0.5 to 0.97 do the same. maxMeansAutocorrelation is that of the batch means, of
	// which there are too few to tell more: with 0 the coverage on recorded series
	// falls to 79.4 %, with 0.9 nothing changes.
	maxAutocorrelation      = 0.9
	maxMeansAutocorrelation = 0.6
)

// scatter holds the statistics that the interval of a mean is made from. Its
// values are iteration times, or whole periods of them.
type scatter struct {
	n       int
	m2      float64   // sum of squared deviations from the mean
	product float64   // sum of products of neighbouring deviations
	means   []float64 // batch means in their order, less the mean; nil for few values
}

// scatterOf summarises deviations from a mean.
func scatterOf(z []float64) scatter {
	s := scatter{n: len(z)}
	for i, x := range z {
		s.m2 += x * x
		if i > 0 {
			s.product += x * z[i-1]
		}
	}
	k, length := meansOf(len(z))
	from := len(z) - k*length
	for i := range k {
		sum := 0.0
		for _, x := range z[from+i*length:][:length] {
			sum += x
		}
		s.means = append(s.means, sum/float64(length))
	}
	return s
}

// meansOf is the number of batches that n values are averaged in and the length
// of each; 0 where there are too few values. The remainder is left out at the
// front, where some warm-up may be left.
func meansOf(n int) (k, length int) {
	if n < 2*minBatchMeans {
		return 0, 0
	}
	k = min(max(n/minBatchLength, minBatchMeans), maxBatchMeans)
	return k, n / k
}

// halfWidth is the half-width of the mean's 90 % interval.
//
// Iteration times are correlated (input queues, clocks), so the standard error of
// independent values is too small. The half-width is computed twice and the
// larger one counts: from the lag-1 autocorrelation as in an AR(1) series, which
// needs few values, and from the means of long batches, which covers correlation
// of any kind but is rough while the batches are few. A rule that stops at the
// first narrow interval picks the moments at which an estimate happens to be
// small; both seldom are at once.
func (s scatter) halfWidth() float64 {
	if s.m2 == 0 {
		return 0
	}
	n := float64(s.n)
	// The autocorrelation of n values is biased low by (1 + 3·lag)/n (Kendall, 1954).
	lag := s.product / s.m2
	lag = min(max(lag+(1+3*max(lag, 0))/n, 0), maxAutocorrelation)
	inefficiency := (1 + lag) / (1 - lag) // correlated values worth one independent one
	half := T90(max(1, int(n/inefficiency)-1)) * math.Sqrt(s.m2/(n-1)/n*inefficiency)
	if len(s.means) > 0 {
		half = max(half, s.meansHalfWidth())
	}
	return half
}

func squares(x []float64) float64 {
	var all moments
	for _, v := range x {
		all = all.plus(moments{1, v, 0})
	}
	return all.m2
}

// meansHalfWidth is the half-width by the batch means, whose remaining lag-1
// autocorrelation inflates the variance as in an AR(1) series.
func (s scatter) meansHalfWidth() float64 {
	k := float64(len(s.means))
	m2 := squares(s.means)
	if m2 == 0 {
		return 0
	}
	mean, product := 0.0, 0.0
	for _, x := range s.means {
		mean += x / k
	}
	for i, x := range s.means[1:] {
		product += (x - mean) * (s.means[i] - mean)
	}
	lag := min(max(product/m2+1/k, 0), maxMeansAutocorrelation)
	return T90(len(s.means)-1) * math.Sqrt(m2/(k-1)/k*(1+lag)/(1-lag))
}

// slope is the change of the batch means from the first to the last by linear
// regression, 0 unless a t-test finds it significant.
func (s scatter) slope() float64 {
	k := float64(len(s.means))
	if k == 0 {
		return 0
	}
	mid := (k - 1) / 2
	sxy, sxx := 0.0, 0.0
	for i, y := range s.means {
		dx := float64(i) - mid
		sxy += dx * y
		sxx += dx * dx
	}
	b := sxy / sxx
	residual := max(0, squares(s.means)-b*sxy) / (k - 2)
	if math.Abs(b) <= t995()[int(k)-2]*math.Sqrt(residual/sxx) {
		return 0
	}
	return b * (k - 1)
}

// Quantiles of Student's t are kept in tables, filled on first use: the inverse
// incomplete beta function costs more than the rest of an interval, and most
// commands need none.
var (
	t95  = tTable(0.95)
	t995 = tTable(1 - driftSignificance/2)
)

func tTable(p float64) func() *[64]float64 {
	return sync.OnceValue(func() *[64]float64 {
		var table [64]float64
		for nu := 1; nu < len(table); nu++ {
			table[nu] = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(nu)}.Quantile(p)
		}
		return &table
	})
}

// T90 is the half-width of a two-sided 90 % interval in standard errors, by
// Student's t with nu degrees of freedom, at least 1. It tends to
// [estimate.Z90]. Beyond the table it is the first term of the expansion in 1/nu,
// off by less than 0.0005.
func T90(nu int) float64 {
	if table := t95(); nu < len(table) {
		return table[nu]
	}
	return estimate.Z90 + 1.5238/float64(nu)
}

// Processes is the variance analysis of several runs of the same thing in fresh
// processes, in the unit of the runs. Two runs of a program differ by more than
// the noise within one (memory layout, clocks, neighbours), which a single run,
// however long, cannot show.
type Processes struct {
	N int
	// Within is the standard deviation of one run's mean, from the runs' own
	// intervals; Between is that between processes beyond it, nil where none shows
	// and for fewer than two.
	Within  float64
	Between *float64
	Mean    estimate.Estimate // the mean over processes
	Next    estimate.Estimate // the mean of one more process, as the user's own run will be
}

// Between separates the variance between processes from the variance within one,
// by the random-effects model of means m + between + within. The intervals are
// Student's t with N-1 degrees of freedom on the standard deviation of the runs'
// means, so that two runs give a wide one. That of the next process (a prediction
// interval) attributes all of the variance to the processes, since few runs cannot
// tell how much of it is not. They are never narrower than the runs' own errors.
func Between(runs []estimate.Estimate) Processes {
	p := Processes{N: len(runs)}
	switch len(runs) {
	case 0:
		return p
	case 1:
		p.Mean, p.Next = runs[0], runs[0]
		p.Within = sigma(runs[0])
		return p
	}
	n := float64(len(runs))
	var all moments
	var variance, down, up float64
	bases := make([]estimate.Basis, len(runs))
	for i, e := range runs {
		all = all.plus(moments{1, e.Value, 0})
		variance += sigma(e) * sigma(e) / n
		down += (e.Value - e.Low) * (e.Value - e.Low)
		up += (e.High - e.Value) * (e.High - e.Value)
		bases[i] = e.Basis
	}
	total := all.m2 / (n - 1) // of the means: within and between together
	p.Within = math.Sqrt(variance)
	if total > variance { // else the spread within one explains all there is
		p.Between = new(math.Sqrt(total - variance))
	}
	t := T90(len(runs) - 1)
	basis := estimate.Weakest(bases...)
	own := func(half float64) estimate.Estimate {
		e := estimate.Estimate{
			Value: all.mean, Basis: basis,
			Low:  all.mean - max(half, math.Sqrt(down)/n),
			High: all.mean + max(half, math.Sqrt(up)/n),
		}
		if all.mean > 0 {
			e.Low = max(e.Low, all.mean*all.mean/e.High) // a time errs by a factor
		}
		return e
	}
	p.Mean = own(t * math.Sqrt(total/n))
	p.Next = own(t * math.Sqrt(total*(1+1/n)))
	return p
}

// sigma is the standard deviation behind a 90 % interval.
func sigma(e estimate.Estimate) float64 { return (e.High - e.Low) / (2 * estimate.Z90) }
