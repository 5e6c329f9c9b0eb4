package curve

import "math"

// terms are the coefficients of a fit; see the package comment. An unused term
// is 0.
type terms [3]float64 // a, c, d

// shape holds what a fit's terms are measured against.
type shape struct {
	critical        float64 // critical batch size K; +Inf where epochs don't grow
	smallest, large float64 // batch sizes trained with
}

// row is the value of each term at a batch size, for coefficients of 1. What
// the ends of the curve do beyond the batch sizes trained with is not known, and
// their squares would soon be absurd: there they stay.
func (s shape) row(batch float64) [3]float64 {
	small, large := math.Min(1, s.smallest/batch), math.Min(1, batch/s.large)
	return [3]float64{1 + batch/s.critical, small * small, large * large}
}

func (s shape) at(t terms, batch float64) float64 {
	r := s.row(batch)
	return t[0]*r[0] + t[1]*r[1] + t[2]*r[2]
}

// sample is the moment a target was reached at with one batch size.
type sample struct {
	batch, moment float64
	weight        float64 // 1 for whole runs, less for beginnings
	runs          float64 // it is the mean of
	known         bool
}

// nonNegative fits the first n terms to the samples by least squares of the
// relative errors, no coefficient below 0: of all subsets of the terms the one
// that fits best and has none below. The weight of a sample is divided by its
// square.
func (s shape) nonNegative(samples []sample, n int, weight func(sample) float64) (best terms, squares float64) {
	squares = math.Inf(1)
	for subset := 1; subset < 1<<n; subset++ {
		t, ok := s.leastSquares(samples, subset, weight)
		if !ok {
			continue
		}
		sum := 0.0
		for _, x := range samples {
			r := s.at(t, x.batch)/x.moment - 1
			sum += weight(x) * r * r
		}
		if sum < squares-1e-12 {
			best, squares = t, sum
		}
	}
	return best, squares
}

// leastSquares solves for the terms in the subset, one bit each. ok is false
// where they can't be told apart or one is below 0.
func (s shape) leastSquares(samples []sample, subset int, weight func(sample) float64) (t terms, ok bool) {
	var m [3][4]float64 // normal equations, right-hand side last
	for _, x := range samples {
		row, w := s.row(x.batch), weight(x)
		for i := range row {
			for j := range row {
				m[i][j] += w * row[i] * row[j] / (x.moment * x.moment)
			}
			m[i][3] += w * row[i] / x.moment
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
			return terms{}, false
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
			return terms{}, false
		}
	}
	return t, true
}

// criticals are the critical batch sizes tried: none, and half a doubling apart
// from far above the largest batch size to below the smallest.
func criticals(smallest, largest float64) []float64 {
	out := []float64{math.Inf(1)}
	for k := largest * 64; k >= smallest/2; k /= math.Sqrt2 {
		out = append(out, k)
	}
	return out
}
