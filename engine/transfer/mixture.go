package transfer

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// mixture is a weighted average of several regressions on the same observations,
// each weighted by its evidence (Bayesian model averaging).
type mixture struct {
	regressions []*regression
	weights     []float64 // summing to 1
}

// newMixture weights the regressions by their marginal likelihood. Observations
// of one model are not independent evidence: together they count as one, so the
// log likelihood is multiplied by models / observations.
func newMixture(regressions []*regression, models int) *mixture {
	m := &mixture{regressions: regressions, weights: make([]float64, len(regressions))}
	greatest, sum := math.Inf(-1), 0.0
	for _, r := range regressions {
		greatest = math.Max(greatest, r.evidence)
	}
	for i, r := range regressions {
		tempered := float64(models) / math.Max(float64(len(r.observations)), 1)
		m.weights[i] = math.Exp((r.evidence - greatest) * tempered)
		sum += m.weights[i]
	}
	for i := range m.weights {
		m.weights[i] /= sum
	}
	return m
}

// robust is the mixture in which outlying models count less, see
// [regression.downweighted].
func (m *mixture) robust(gram *mat.SymDense) *mixture {
	out := &mixture{make([]*regression, len(m.regressions)), m.weights}
	for i, r := range m.regressions {
		if out.regressions[i] = r; m.weights[i] >= minWeight && len(r.observations) > 0 {
			out.regressions[i] = newRegression(r.downweighted(), gram, r.covariance, r.noise)
		}
	}
	return out
}

func (m *mixture) at(x *observation, self float64, similarities []float64) prediction {
	return m.average(func(r *regression) prediction { return r.at(x, self, similarities) })
}

func (m *mixture) without(group []int) []prediction {
	all := map[*regression][]prediction{}
	for i, r := range m.regressions {
		if m.weights[i] >= minWeight {
			all[r] = r.without(group)
		}
	}
	out := make([]prediction, len(group))
	for i := range out {
		out[i] = m.average(func(r *regression) prediction { return all[r][i] })
	}
	return out
}

func (m *mixture) average(of func(*regression) prediction) prediction {
	mean, squares, used := 0.0, 0.0, 0.0
	for i, r := range m.regressions {
		if w := m.weights[i]; w >= minWeight {
			p := of(r)
			mean, squares, used = mean+w*p.mean, squares+w*(p.mean*p.mean+p.sd*p.sd), used+w
		}
	}
	mean /= used
	return prediction{mean, math.Sqrt(math.Max(squares/used-mean*mean, 1e-12))}
}
