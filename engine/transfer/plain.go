package transfer

import (
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// Plain methods.

// nothing predicts that there is no deviation.
type nothing struct{}

func (nothing) at(*observation, float64, []float64) prediction { return prediction{0, 1} }

func (nothing) without(group []int) []prediction {
	return slices.Repeat([]prediction{{0, 1}}, len(group))
}

// constant predicts what was observed of the subject itself at the nearest batch
// size, else the median of the models.
type constant struct{ observations []observation }

func (c constant) at(x *observation, _ float64, _ []float64) prediction {
	return prediction{c.of(x, nil), 1}
}

func (c constant) without(group []int) []prediction {
	out := make([]prediction, len(group))
	for i, g := range group {
		out[i] = prediction{c.of(&c.observations[g], group), 1}
	}
	return out
}

func (c constant) of(x *observation, left []int) float64 {
	distance, own := math.Inf(1), 0.0
	models := map[string][]float64{}
	for i := range c.observations {
		if slices.Contains(left, i) {
			continue
		}
		o := &c.observations[i]
		if d := math.Abs(o.octave - x.octave); o.subject == x.subject && d < distance {
			distance, own = d, o.y
		}
		models[o.subject.Model] = append(models[o.subject.Model], o.y)
	}
	if !math.IsInf(distance, 1) {
		return own
	}
	if len(models) == 0 {
		return 0
	}
	medians := make([]float64, 0, len(models))
	for _, y := range models {
		medians = append(medians, estimate.Median(y))
	}
	return estimate.Median(medians)
}
