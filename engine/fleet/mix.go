package fleet

import (
	"math"
	"slices"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
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

// Find is the place of a model in the mix, -1 where it is not in it.
func (m Mix) Find(model string) int {
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

// fullPrecisions from the widest on; a model's full precision is the first that
// it was run or validated in.
var fullPrecisions = []string{"fp64", "fp32", "tf32", "bf16", "fp16"}

const reducedPrecision = "int8"

// MixOf is the mix of the models that were validated or run in inference both
// at a full precision and in INT8, unpruned, all equally frequent: the ratio is
// the median over what was timed at both on the same machine at the same batch
// size, NaN where nothing was.
func MixOf(set *profile.Set) Mix {
	runs := map[string]map[string][]*profile.Run{} // by model, by precision
	var models []string
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Variant.Pruning != nil || r.Mode != profile.Infer {
			continue
		}
		if runs[r.Model] == nil {
			runs[r.Model] = map[string][]*profile.Run{}
			models = append(models, r.Model)
		}
		p := strings.ToLower(r.Variant.Precision)
		runs[r.Model][p] = append(runs[r.Model][p], r)
	}
	var mix Mix
	for _, model := range models {
		of := runs[model]
		at := slices.IndexFunc(fullPrecisions, func(p string) bool { return len(of[p]) > 0 })
		if at < 0 || len(of[reducedPrecision]) == 0 {
			continue
		}
		full, reduced := of[fullPrecisions[at]], of[reducedPrecision]
		k := Kind{Model: model, Weight: 1, Accuracy: accuracyOf(full), ReducedAccuracy: accuracyOf(reduced)}
		var pairs int
		k.Ratio, pairs = ratioOf(full, reduced)
		k.Basis = "accuracies in " + fullPrecisions[at] + " and int8"
		if a := reduced[0].Accuracy; a != nil {
			k.Basis += " " + a.Basis.String()
		}
		if pairs > 0 {
			k.Basis += ", ratio from " + quantity.Several(pairs, "timed pair")
		}
		mix = append(mix, k)
	}
	return mix
}

// accuracyOf is the accuracy of the runs that say one that can be a fraction.
func accuracyOf(runs []*profile.Run) float64 {
	for _, r := range runs {
		if a := r.Accuracy; a != nil && a.HigherIsBetter && a.Value >= 0 && a.Value <= 1 {
			return a.Value
		}
	}
	return math.NaN()
}

func ratioOf(full, reduced []*profile.Run) (ratio float64, pairs int) {
	var ratios []float64
	for _, f := range full {
		for _, r := range reduced {
			same := f.VM() == r.VM() && f.GPU == r.GPU && f.GPUCount == r.GPUCount && f.Count == r.Count &&
				f.BatchSize == r.BatchSize
			if same && f.Steady.Known() && r.Steady.Known() {
				ratios = append(ratios, r.Steady.Value/f.Steady.Value)
			}
		}
	}
	if len(ratios) == 0 {
		return math.NaN(), 0
	}
	slices.Sort(ratios)
	return quantile(ratios, 0.5), len(ratios)
}
