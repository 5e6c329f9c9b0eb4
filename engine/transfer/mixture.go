package transfer

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// mixture is a weighted average of several regressions on the same
// observations, each weighted by its evidence (Bayesian model averaging).
type mixture struct {
	kernel     kernel
	components []*regression
	weights    []float64 // of the components, summing to 1
}

// newMixture weights the regressions by their marginal likelihood. Observations
// of one model are not independent evidence: together they count as one, so the
// log likelihood is multiplied by models / observations.
func newMixture(components []*regression, k kernel) *mixture {
	m := &mixture{kernel: k, components: components, weights: make([]float64, len(components))}
	greatest, sum := math.Inf(-1), 0.0
	for _, r := range components {
		greatest = math.Max(greatest, r.evidence)
	}
	for i, r := range components {
		tempered := float64(r.models) / math.Max(float64(len(r.observations)), 1)
		m.weights[i] = math.Exp((r.evidence - greatest) * tempered)
		sum += m.weights[i]
	}
	for i := range m.weights {
		m.weights[i] /= sum
	}
	return m
}

// minWeight is the weight below which a regression is not evaluated, to save time.
// With 0 no figure of make accuracy changes.
const minWeight = 0.05

// robust is the mixture in which outlying models count less, see
// [regression.downweighted].
func (m *mixture) robust(gram *mat.SymDense) *mixture {
	out := &mixture{kernel: m.kernel, components: make([]*regression, len(m.components)), weights: m.weights}
	for i, r := range m.components {
		if out.components[i] = r; m.weights[i] >= minWeight {
			out.components[i] = newRegression(r.downweighted(), gram, r.covariance, r.noise, r.uncheckedScale)
			out.components[i].scale = r.scale // the new one leaves the outliers out
		}
	}
	return out
}

// predict returns the expected deviation at x and its standard deviation, which
// includes the differences between the regressions.
func (m *mixture) predict(x *observation) (mean, sd float64) {
	similarities, self := m.kernel.vector(x, m.components[0].observations), m.kernel(x, x)
	squares, used := 0.0, 0.0
	for i, r := range m.components {
		if m.weights[i] >= minWeight {
			mu, s := r.predict(x, self, similarities)
			mean += m.weights[i] * mu
			squares += m.weights[i] * (mu*mu + s*s)
			used += m.weights[i]
		}
	}
	mean /= used
	return mean, math.Sqrt(math.Max(squares/used-mean*mean, 0))
}

// z90 is the half-width of the 90 % interval in standard deviations.
func (m *mixture) z90() float64 { return m.components[0].z90 }
