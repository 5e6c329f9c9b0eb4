package library

import (
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/roofline"
)

// What this project measured on two vCPUs lies within what operations alone tell of them.
func TestOwnMeasurementsLieInTheEstimatesOnCPUs(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	models, n := map[string]int{}, 0
	for i, m := range set.Models {
		models[m.Name] = i
	}
	for _, r := range set.Runs {
		if r.InstanceType != "AMD EPYC 2 vCPUs" || r.Basis != estimate.Measured || r.Variant.Precision != "fp32" ||
			!r.Variant.IsModel() || !r.Steady.Known() {
			continue
		}
		n++
		e := roofline.OnCPUs(roofline.Job{Work: r.WorkIn(set.Models[models[r.Model]]), Mode: r.Mode,
			Batch: float64(r.BatchSize)}, 2)
		if !e.Known() || r.Steady.Value < e.Low || r.Steady.Value > e.High {
			t.Errorf("%s, %s at batch %d: %g s, estimated %+v", r.Model, r.Mode, r.BatchSize, r.Steady.Value, e)
		}
	}
	if n < 10 {
		t.Errorf("%d measurements", n)
	}
}
