package reproduce

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// The last step up to which all steps keep the accuracy within a point.
func TestSweetSpotOfCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 101 {
			c := Curve{Network: "net", Layer: "conv1", StepPercent: rapid.SampledFrom([]float64{5, 10}).Draw(t, "step"),
				Percent: []float64{90}}
			want, kept := 0.0, true
			for i := range rapid.IntRange(1, 9).Draw(t, "steps") {
				lost := float64(rapid.IntRange(-2, 5).Draw(t, "lost")) / 3
				c.Percent = append(c.Percent, 90-lost)
				if kept = kept && lost <= 1; kept {
					want = float64(i+1) * c.StepPercent
				}
			}
			if got := c.sweetSpot(); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%v in steps of %g: %g, want %g", c.Percent, c.StepPercent, got, want)
			}
		}
	})
}

// Own runs have a sweet spot for each precision and batch size; what is not
// measured here has none.
func TestSweetSpotsOfOwnRuns(t *testing.T) {
	set := &profile.Set{}
	run := func(model, precision string, batch int, ratio, seconds, accuracy float64, basis estimate.Basis) {
		r := profile.Run{
			ID: int64(len(set.Runs) + 1), Model: model, Mode: profile.Infer, GPU: "CPU", Count: 1, BatchSize: batch,
			Status: profile.Done, Basis: basis,
			Variant: profile.Variant{Precision: precision}, Steady: estimate.Spread(seconds, 0.02, basis),
			Accuracy: &profile.Accuracy{Metric: "top-1", Value: accuracy, HigherIsBetter: true, Basis: basis},
		}
		if ratio > 0 {
			r.Variant.Name, r.Variant.Pruning = "pruned", &profile.Pruning{Ratio: &ratio}
		}
		set.Runs = append(set.Runs, r)
	}
	for _, batch := range []int{8, 64} {
		run("net", "fp32", batch, 0, 1, 0.9, estimate.Measured)
		run("net", "fp32", batch, 0.3, 0.8, 0.897, estimate.Measured)
	}
	run("net", "fp32", 64, 0.6, 0.5, 0.894, estimate.Measured)
	run("net", "int8", 8, 0, 1, 0.9, estimate.Measured)
	run("net", "int8", 8, 0.3, 1.2, 0.9, estimate.Measured)
	run("printed", "fp32", 8, 0, 1, 0.9, estimate.Published)
	run("printed", "fp32", 8, 0.3, 0.8, 0.9, estimate.Published)
	rows := ownRows(set)
	want := []struct {
		cell  string
		ratio float64
	}{{"net fp32 b8 sweet_spot_percent", 30}, {"net fp32 b64 sweet_spot_percent", 60},
		{"net int8 b8 sweet_spot_percent", 0}}
	if len(rows) != len(want) {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	for i, r := range rows {
		if r.Cell != want[i].cell || math.Abs(*r.Ours-want[i].ratio) > 1e-9 || r.Published != nil || r.OK != nil ||
			r.Note == "" {
			t.Errorf("%s: %g, want %s %g", r.Cell, *r.Ours, want[i].cell, want[i].ratio)
		}
	}
	if ownRows(nil) != nil {
		t.Error("rows of no runs")
	}
}
