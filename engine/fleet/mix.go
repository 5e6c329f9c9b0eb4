package fleet

import (
	"math"
	"slices"
)

// Kind is a model that jobs run, as it is at full and at reduced precision.
type Kind struct {
	Model  string
	Weight float64 // how often it is drawn, relative to the others; 0 is never, but a job may name it
	// Ratio is the runtime at reduced precision over that at full; NaN where
	// unknown.
	Ratio float64
	// Accuracies in [0,1]; NaN where unknown.
	Accuracy, ReducedAccuracy float64
	Basis                     string // where the numbers are from
}

// Mix is the models of a workload.
type Mix []Kind

// find is the place of the model a job names, -1 where it is not in the mix.
func (m Mix) find(model string) int {
	return slices.IndexFunc(m, func(k Kind) bool { return k.Model == model })
}

// pick is the place at a share u in [0,1) of all weights, -1 without any.
func (m Mix) pick(u float64) int {
	total := 0.0
	for i := range m {
		total += m[i].Weight
	}
	u *= total
	for i := range m {
		if u < m[i].Weight {
			return i
		}
		u -= m[i].Weight
	}
	return -1
}

// unknownKind is a model of which nothing is known.
var unknownKind = Kind{Ratio: math.NaN(), Accuracy: math.NaN(), ReducedAccuracy: math.NaN()}
