package candidate

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// accuracies are what the model reaches, by variant, and in training also by batch
// size: accuracy never depends on the VM. They are immutable.
type accuracies map[string]profile.Accuracy

func accuracyKey(r profile.Run) string {
	if r.Mode == profile.Train {
		return batchKey(r.Variant, r.BatchSize)
	}
	return variantKey(r.Variant)
}

// newAccuracies takes the most trusted accuracy of each.
func newAccuracies(set *profile.Set, w question.Workload) accuracies {
	out := accuracies{}
	for _, r := range set.Runs {
		if r.Model != w.Model || r.Mode != w.Mode || r.Accuracy == nil {
			continue
		}
		a := *r.Accuracy
		a.StdDev = r.AccuracyStdDev()
		if old, ok := out[accuracyKey(r)]; !ok || a.Basis < old.Basis {
			out[accuracyKey(r)] = a
		}
	}
	return out
}

// quality looks up what a candidate's accuracy will be.
func (f *facts) quality(r profile.Run) *Quality {
	a, ok := f.accuracies[accuracyKey(r)]
	if !ok {
		return f.finalQuality(r)
	}
	half := f.set.AccuracyKind.Rel
	if a.StdDev != nil {
		half = estimate.Z90 * *a.StdDev
	}
	e := estimate.Around(a.Value, half, a.Basis)
	if a.HigherIsBetter && a.Value <= 1 {
		e.High = math.Min(e.High, 1)
	}
	return &Quality{Metric: a.Metric, Estimate: e, HigherIsBetter: a.HigherIsBetter}
}
