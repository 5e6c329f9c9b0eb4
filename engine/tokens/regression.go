package tokens

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// regression is a Gaussian-process regression (Rasmussen and Williams, 2006, chapter 2)
// of deviations, in units of their root mean square.
type regression struct {
	known   []Known
	kernel  kernel
	noise   []float64 // variance of each
	inverse mat.SymDense
	weights []float64 // the inverse covariance matrix times the deviations
}

// kernel says how alike two cases err: by their shapes, and more so with equal tags.
type kernel struct {
	length  float64 // of the shape, at which cases begin to differ
	general float64 // the share of the variance that cases without a common tag have in common
	noise   float64 // variance, of a variance of 1 in all
}

// kernels are tried, and weighed by how well they do. Those of much noise hedge where
// there is little to learn.
var kernels = []kernel{
	{0.6, 1, 0.05}, {1.2, 1, 0.05}, {0.6, 0.4, 0.05}, {1.2, 0.4, 0.05},
	{0.6, 1, 0.25}, {1.2, 1, 0.25}, {0.6, 0.4, 0.25}, {1.2, 0.4, 0.25}, {1.2, 1, 1}, {1.2, 0.4, 1},
}

// judge is the one by which cases are found odd.
var judge = kernel{1.2, 0.4, 0.25}

func (k kernel) at(a, b *Case) float64 {
	d := 0.0
	for i := range min(len(a.Shape), len(b.Shape)) {
		x := (a.Shape[i] - b.Shape[i]) / k.length
		d += x * x
	}
	common := k.general
	if n := min(len(a.Tags), len(b.Tags)); n > 0 {
		for i := range n {
			if a.Tags[i] == b.Tags[i] {
				common += (1 - k.general) / float64(n)
			}
		}
	}
	return common * math.Exp(-d/2)
}

// prediction is an expected deviation and its standard deviation.
type prediction struct{ mean, sd float64 }

// newRegression fits to deviations y; ok is false where the matrix has no inverse.
func newRegression(known []Known, y []float64, k kernel, noise []float64) (r *regression, ok bool) {
	n := len(known)
	r = &regression{known: known, kernel: k, noise: noise}
	covariance := mat.NewSymDense(n, nil)
	for i := range known {
		for j := i; j < n; j++ {
			covariance.SetSym(i, j, k.at(&known[i].Case, &known[j].Case))
		}
		covariance.SetSym(i, i, covariance.At(i, i)+noise[i])
	}
	var factor mat.Cholesky
	if !factor.Factorize(covariance) || factor.InverseTo(&r.inverse) != nil {
		return nil, false
	}
	var w mat.VecDense
	w.MulVec(&r.inverse, mat.NewVecDense(n, y))
	r.weights = w.RawVector().Data
	return r, true
}

func (r *regression) at(q *Case) prediction {
	n := len(r.known)
	k := mat.NewVecDense(n, nil)
	for i := range r.known {
		k.SetVec(i, r.kernel.at(q, &r.known[i].Case))
	}
	var product mat.VecDense
	product.MulVec(&r.inverse, k)
	mean := mat.Dot(k, mat.NewVecDense(n, r.weights))
	variance := r.kernel.at(q, q) + r.kernel.noise - mat.Dot(k, &product)
	return prediction{mean, math.Sqrt(math.Max(variance, r.kernel.noise))}
}

// without predicts the deviations y of a group from all others. With C the inverse
// covariance matrix and g the group the residuals are C_gg⁻¹·(C·y)_g, of covariance
// C_gg⁻¹ (Rasmussen and Williams, 2006, section 5.4.2, for groups).
func (r *regression) without(group []int, y []float64) []prediction {
	n := len(group)
	block, w := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range group {
		w.SetVec(i, r.weights[a])
		for j := i; j < n; j++ {
			block.SetSym(i, j, r.inverse.At(a, group[j]))
		}
	}
	out := make([]prediction, n)
	var factor mat.Cholesky
	var covariance mat.SymDense
	var residuals mat.VecDense
	if !factor.Factorize(block) || factor.InverseTo(&covariance) != nil {
		for i := range out { // rounding: nothing is known of how it does
			out[i] = prediction{0, 1}
		}
		return out
	}
	residuals.MulVec(&covariance, w)
	for i, a := range group {
		variance := covariance.At(i, i) - r.noise[a] + r.kernel.noise
		out[i] = prediction{y[a] - residuals.AtVec(i), math.Sqrt(math.Max(variance, r.kernel.noise))}
	}
	return out
}
