package transfer

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// observation is a known deviation from the plain prediction, in units of the
// spread expected of it; or, without y, a point to predict at.
type observation struct {
	features []float64 // scaled so that the squared exponential kernel has length scale 1
	y        float64
	subject  Subject
	family   string // of its network, by its name
	platform Platform
	dataset  string
	octave   float64 // log2 of the batch size
	stretch  float64 // ln(batch size / the one measured) where the sources have only one
	excess   float64 // by which its noise variance exceeds 1, see downweighted
}

// kernel is the similarity of two observations by their features.
type kernel func(x, y *observation) float64

// covariance is what the deviations of two observations have in common, given
// their similarity by a kernel.
type covariance func(x, y *observation, similarity float64) float64

// matrix is the Gram matrix of the observations; nil without any.
func (k kernel) matrix(observations []observation) *mat.SymDense {
	if len(observations) == 0 {
		return nil
	}
	out := mat.NewSymDense(len(observations), nil)
	for i := range observations {
		for j := i; j < len(observations); j++ {
			out.SetSym(i, j, k(&observations[i], &observations[j]))
		}
	}
	return out
}

// vector is the similarity of x to each observation.
func (k kernel) vector(x *observation, observations []observation) []float64 {
	out := make([]float64, len(observations))
	for i := range observations {
		out[i] = k(x, &observations[i])
	}
	return out
}

// squaredExponential is the kernel exp(−d²/2) of the distance d between the
// features.
func squaredExponential(x, y *observation) float64 {
	d := 0.0
	for i := range x.features {
		d += (x.features[i] - y.features[i]) * (x.features[i] - y.features[i])
	}
	return math.Exp(-d / 2)
}

// regression is a Gaussian-process regression (Rasmussen and Williams, 2006,
// chapter 2).
type regression struct {
	observations []observation
	covariance   covariance
	noise        float64 // variance
	inverse      mat.SymDense
	weights      []float64 // the inverse covariance matrix times y
	evidence     float64   // log marginal likelihood, with the overall scale profiled out
}

// newRegression fits to observations with a given Gram matrix. Without
// observations it predicts 0 with the prior's standard deviation.
func newRegression(observations []observation, gram *mat.SymDense, k covariance, noise float64) *regression {
	r := &regression{observations: observations, covariance: k, noise: noise}
	n := len(observations)
	if n == 0 {
		return r
	}
	cov := mat.NewSymDense(n, nil)
	y := mat.NewVecDense(n, nil)
	for i := range observations {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, k(&observations[i], &observations[j], gram.At(i, j)))
		}
		cov.SetSym(i, i, cov.At(i, i)+noise*(1+observations[i].excess))
		y.SetVec(i, observations[i].y)
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) || chol.InverseTo(&r.inverse) != nil {
		return newRegression(nil, nil, k, noise) // an observation is not a number: use the prior
	}
	var w mat.VecDense
	w.MulVec(&r.inverse, y)
	r.weights = w.RawVector().Data
	r.evidence = -float64(n)/2*math.Log(mat.Dot(y, &w)/float64(n)+1e-12) - chol.LogDet()/2
	return r
}

// at returns the expected deviation at x and its standard deviation, given the
// similarity of x to itself and to the observations.
func (r *regression) at(x *observation, self float64, similarities []float64) prediction {
	variance := r.covariance(x, x, self) + r.noise
	if len(r.observations) == 0 {
		return prediction{0, math.Sqrt(variance)}
	}
	mean := 0.0
	k := make([]float64, len(r.observations))
	for i := range r.observations {
		k[i] = r.covariance(x, &r.observations[i], similarities[i])
		mean += k[i] * r.weights[i]
	}
	variance -= quadratic(&r.inverse, k)
	return prediction{mean, math.Sqrt(math.Max(variance, r.noise/10))} // rounding may leave less than the noise
}

// quadratic is v'·a·v. It computes half of the sum, since a is symmetric.
func quadratic(a *mat.SymDense, v []float64) float64 {
	raw, sum := a.RawSymmetric(), 0.0
	for i, x := range v {
		row := raw.Data[i*raw.Stride:][:raw.N]
		sum += x * (x*row[i] + 2*floats.Dot(row[i+1:], v[i+1:]))
	}
	return sum
}

// without predicts the observations of a group from all others. With C the inverse
// covariance matrix and g the group the residuals are C_gg⁻¹·(C·y)_g, of
// covariance C_gg⁻¹ (Rasmussen and Williams, 2006, section 5.4.2, for groups).
func (r *regression) without(group []int) []prediction {
	n := len(group)
	out := make([]prediction, n)
	if len(r.observations) == 0 {
		for i := range out {
			out[i].sd = 1
		}
		return out
	}
	block, w := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range group {
		w.SetVec(i, r.weights[a])
		for j := i; j < n; j++ {
			block.SetSym(i, j, r.inverse.At(a, group[j]))
		}
	}
	var chol mat.Cholesky
	var cov mat.SymDense
	var residuals mat.VecDense
	if chol.Factorize(block) && chol.InverseTo(&cov) == nil {
		residuals.MulVec(&cov, w)
	}
	for i, a := range group {
		if residuals.Len() == 0 { // rounding: nothing is known of how it does
			out[i] = prediction{0, 1}
			continue
		}
		o := &r.observations[a]
		out[i].mean = o.y - residuals.AtVec(i)
		out[i].sd = math.Sqrt(math.Max(cov.At(i, i)-r.noise*o.excess, r.noise/10))
	}
	return out
}

// downweighted are the observations with more noise variance for models that the
// others predict worse than expected, in proportion to the excess of their mean
// squared residual: what is odd about one model says nothing about the next.
func (r *regression) downweighted() []observation {
	observations := slices.Clone(r.observations)
	groups := groupsOf(observations)
	if len(groups) < minModelsForOutliers {
		return observations
	}
	squares, mean := make([]float64, len(groups)), 0.0
	for g, group := range groups {
		for i, p := range r.without(group) {
			z := (observations[group[i]].y - p.mean) / p.sd
			squares[g] += z * z / float64(len(group))
		}
		mean += squares[g] / float64(len(groups))
	}
	for g, group := range groups {
		for _, i := range group {
			observations[i].excess = math.Max(0, squares[g]/math.Max(mean, 1)-1)
		}
	}
	return observations
}

// minModelsForOutliers is how many models it takes to tell which of them is the
// outlier; with fewer all count alike.
const minModelsForOutliers = 6
