package curve

import "math"

// coefficients are those of a fit, a, c and d of the package comment; those of
// unused terms are 0.
type coefficients [3]float64

// design gives the rows of the design matrix.
type design struct {
	critical        float64 // critical batch size K; +Inf where epochs do not grow
	smallest, large float64 // batch sizes trained with
}

// row is the value of each term at a batch size, for coefficients of 1. Beyond
// the batch sizes trained with, the two end terms stay at 1: nothing is known
// there, and their squares would soon be absurd.
func (s design) row(batch float64) [3]float64 {
	small, large := math.Min(1, s.smallest/batch), math.Min(1, batch/s.large)
	return [3]float64{1 + batch/s.critical, small * small, large * large}
}

func (s design) at(t coefficients, batch float64) float64 {
	r := s.row(batch)
	return t[0]*r[0] + t[1]*r[1] + t[2]*r[2]
}

// observation is after how many epochs trainings with one batch size reached a
// target.
type observation struct {
	batch, epochs float64 // the epochs are fractional ones
	weight        float64 // 1 for completed runs, less for extrapolated ones
	runs          float64 // that it is the mean of
	known         bool
}

// nonNegative fits the first n terms to the observations by non-negative least
// squares of the relative errors: it tries every subset of the terms and keeps
// the best fit without a negative coefficient.
func (s design) nonNegative(
	observations []observation, n int, weight func(observation) float64,
) (best coefficients, squares float64) {
	squares = math.Inf(1)
	for subset := 1; subset < 1<<n; subset++ {
		t, ok := s.leastSquares(observations, subset, weight)
		if !ok {
			continue
		}
		sum := 0.0
		for _, x := range observations {
			r := s.at(t, x.batch)/x.epochs - 1
			sum += weight(x) * r * r
		}
		if sum < squares-1e-12 {
			best, squares = t, sum
		}
	}
	return best, squares
}

// leastSquares solves for the terms in the subset, one bit each. ok is false
// where the equations are singular or a coefficient is negative.
func (s design) leastSquares(
	observations []observation, subset int, weight func(observation) float64,
) (t coefficients, ok bool) {
	var m [3][4]float64 // normal equations, right-hand side last
	for _, x := range observations {
		row, w := s.row(x.batch), weight(x)
		for i := range row {
			for j := range row {
				m[i][j] += w * row[i] * row[j] / (x.epochs * x.epochs)
			}
			m[i][3] += w * row[i] / x.epochs
		}
	}
	for i := range m {
		if subset>>i&1 == 0 {
			m[i] = [4]float64{}
			for j := range m {
				m[j][i] = 0
			}
			m[i][i] = 1
		}
	}
	for i := range m {
		pivot := m[i][i]
		if !(pivot > 1e-12) {
			return coefficients{}, false
		}
		for j := i + 1; j < len(m); j++ {
			f := m[j][i] / pivot
			for k := i; k < 4; k++ {
				m[j][k] -= f * m[i][k]
			}
		}
	}
	for i := len(m) - 1; i >= 0; i-- {
		v := m[i][3]
		for j := i + 1; j < len(m); j++ {
			v -= m[i][j] * t[j]
		}
		t[i] = v / m[i][i]
		if t[i] < 0 {
			return coefficients{}, false
		}
	}
	return t, true
}

// criticalGrid lists the critical batch sizes tried: infinity, and half an octave
// apart from 64 times the largest batch size, where growth no longer shows, to
// half the smallest, where the epochs grow in proportion to it.
func criticalGrid(smallest, largest float64) []float64 {
	out := []float64{math.Inf(1)}
	for k := largest * 64; k >= smallest/2; k /= math.Sqrt2 {
		out = append(out, k)
	}
	return out
}
