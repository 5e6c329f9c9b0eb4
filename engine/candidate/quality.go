package candidate

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func (b *builder) findAccuracies() {
	b.byVariant, b.byBatch = map[string]profile.Accuracy{}, map[string]profile.Accuracy{}
	put := func(m map[string]profile.Accuracy, k string, a profile.Accuracy) {
		if old, ok := m[k]; !ok || a.Basis < old.Basis {
			m[k] = a
		}
	}
	for _, r := range b.set.Runs {
		if r.Model != b.w.Model || r.Accuracy == nil {
			continue
		}
		a := *r.Accuracy
		a.StdDev = r.AccuracyStdDev()
		if r.Mode == b.w.Mode {
			put(b.byVariant, variantKey(r.Variant), a)
		}
		if r.Mode == profile.Train {
			put(b.byBatch, batchKey(r.Variant, r.BatchSize), a)
		}
	}
}

// quality looks up what a candidate's accuracy will be.
func (b *builder) quality(r profile.Run) *Quality {
	a, ok := b.byVariant[variantKey(r.Variant)]
	if b.w.Mode == profile.Train {
		a, ok = b.byBatch[batchKey(r.Variant, r.BatchSize)]
	}
	if !ok {
		return b.finalQuality(r)
	}
	half := b.set.AccuracyKind.Rel
	if a.StdDev != nil {
		half = estimate.Z90 * *a.StdDev
	}
	e := estimate.Around(a.Value, half, a.Basis)
	if a.HigherIsBetter && a.Value <= 1 {
		e.High = math.Min(e.High, 1)
	}
	return &Quality{Metric: a.Metric, Estimate: e, HigherIsBetter: a.HigherIsBetter}
}
