package steady

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"sweetspot/engine/estimate"
)

const (
	fewestMeans = 5  // batch means a spread of their own needs at least
	mostMeans   = 20 // more do not narrow the interval, longer batches make it honest
	meanLength  = 10 // values of a batch once there are enough
	driftLevel  = 0.01

	mostLag      = 0.9 // a stronger autocorrelation is left to the batch means and the drift
	mostMeansLag = 0.6 // of batch means, which are too few to tell more
)

// scatter is what the interval of a mean is made from: values that are
// iteration times, or whole periods of them.
type scatter struct {
	n       int
	m2      float64   // sum of squared deviations from the mean
	product float64   // sum of products of neighbouring deviations
	means   []float64 // of long batches in their order, relative to the mean; nil for few values
}

// scatterOf is the scatter of deviations from a mean.
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

// meansOf is how many batches n values are averaged in and how long each is;
// 0 where there are too few. What is left over is left out at the front, where
// warm-up may linger.
func meansOf(n int) (k, length int) {
	if n < 2*fewestMeans {
		return 0, 0
	}
	k = min(max(n/meanLength, fewestMeans), mostMeans)
	return k, n / k
}

// halfWidth is the half-width of the mean's 90 % interval.
//
// Iteration times are correlated (input queues, clocks), so their plain spread
// promises too much. What the correlation adds is estimated twice and the
// larger answer counts: by the lag-1 autocorrelation as in an AR(1) series,
// which needs few values, and by the spread of the means of long batches, which
// holds correlation of any kind but is rough while the batches are few. A rule
// that stops at the first narrow interval picks the moments at which an
// estimate happens to be small; both seldom are at once.
func (s scatter) halfWidth() float64 {
	if s.m2 == 0 {
		return 0
	}
	n := float64(s.n)
	// From n values the autocorrelation comes out too small by (1 + 3·lag)/n.
	lag := s.product / s.m2
	lag = min(max(lag+(1+3*max(lag, 0))/n, 0), mostLag)
	alike := (1 + lag) / (1 - lag) // values that together say as much as one alone
	half := T90(max(1, int(n/alike)-1)) * math.Sqrt(s.m2/(n-1)/n*alike)
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

// meansHalfWidth is the half-width by the batch means. What correlation is left
// between neighbouring ones scales the variance as in an AR(1) series, up to
// what a few means can tell.
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
	lag := min(max(product/m2+1/k, 0), mostMeansLag)
	return T90(len(s.means)-1) * math.Sqrt(m2/(k-1)/k*(1+lag)/(1-lag))
}

// slope is the change of the batch means from the first to the last if a
// t-test finds it significant, else 0.
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

// Quantiles of Student's t are looked up in tables, filled when one is first
// needed: the inverse incomplete beta function costs more than the rest of a
// judgement, and most commands judge nothing.
var (
	t95  = tTable(0.95)
	t995 = tTable(1 - driftLevel/2)
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

// T90 bounds a two-sided 90 % interval by Student's t with nu degrees of freedom,
// at least 1: as Z90 does where the spread itself is known. Beyond the table it
// is the first term of the expansion in 1/nu, off by less than 0.0005.
func T90(nu int) float64 {
	if table := t95(); nu < len(table) {
		return table[nu]
	}
	return estimate.Z90 + 1.5238/float64(nu)
}
