package candidate_test

import (
	"math"
	"testing"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Checkpoints that a run was seen to write are in its time and named beside it,
// and are expected of the same training where nobody ran it: those of an epoch
// at the end of each, those of an iteration after as many.
func TestPausesAreInEveryTime(t *testing.T) {
	for name, c := range map[string]struct {
		every              int // iterations; an epoch has 158
		measured, at512    float64
		why, predictedWhy  string
		withinOf, slopePer float64
	}{
		"each epoch": {158, 10, 10, "with 10 checkpoints of 2.00 s",
			"a guess; with 10 checkpoints of 2.00 s", 1e-6, 2},
		"every 200 iterations": {200, 7, 3, "with 7 checkpoints of 2.00 s", "a guess; with 3 checkpoints of 2.00 s", 2,
			2 * 158.0 / 200},
	} {
		set := twoTypes()
		w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0), Purchase: profile.OnDemand,
			BatchSizes: []int{256, 512}}
		bare := predict(set, w, guess{0.3})
		for i := range 4 {
			set.Runs[0].Pauses = append(set.Runs[0].Pauses, profile.Pause{AtS: 1000 * float64(i+1), Seconds: 2,
				Kind: "checkpoint", Iterations: new(c.every * (i + 1))})
		}
		full := predict(set, w, guess{0.3})
		if len(full) != len(bare) || len(full) < 3 {
			t.Fatalf("%s: %d candidates, without checkpoints %d", name, len(full), len(bare))
		}
		for i, x := range full {
			if x.ID != bare[i].ID {
				t.Fatalf("%s: %s became %s", name, bare[i].ID, x.ID)
			}
			count, why := c.measured, c.why
			if x.IsPredicted() {
				why = c.predictedWhy
			}
			if x.BatchSize == 512 {
				count = c.at512
			} else if x.IsPredicted() {
				why = "a guess; " + c.why
			}
			if got := x.Time.Value - bare[i].Time.Value; math.Abs(got-2*count) > 1e-6 || x.Why != why {
				t.Errorf("%s: %s takes %g s more for %g checkpoints: %s", name, x.ID, got, count, x.Why)
			}
			if x.Time.High-x.Time.Value < bare[i].Time.High-bare[i].Time.Value {
				t.Errorf("%s: %s is surer with checkpoints: %+v", name, x.ID, x.Time)
			}
			line, ok := x.Line(objective.Time)
			if got := line.At(10); !ok || math.Abs(got-x.Time.Value) > c.withinOf {
				t.Errorf("%s: the line of %s is at %g, its time is %g", name, x.ID, got, x.Time.Value)
			}
			before, _ := bare[i].Line(objective.Time)
			if x.BatchSize == 256 && math.Abs(line.Slope-before.Slope-c.slopePer) > 1e-6 {
				t.Errorf("%s: an epoch of %s takes %g s more", name, x.ID, line.Slope-before.Slope)
			}
		}
	}
}
