package candidate

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
)

// A training counted in steps keeps its units at another batch size, and takes other steps for
// them; asked for steps it keeps these, and sees another amount of data.
func TestStepsAtBatchSizes(t *testing.T) {
	set := &profile.Set{}
	for i, batch := range []int{128, 64} {
		set.Runs = append(set.Runs, training.InEpochs(profile.Run{ID: int64(i + 1), Model: "lm", Mode: profile.Train,
			Unit: "sample", InstanceType: "desk", Count: 1, Command: []string{"python3", "lm.py"}, BatchSize: batch,
			Steps: new(10000.0), Steady: estimate.Around(0.01*float64(batch)/64, 1e-4, estimate.Measured),
			Status: profile.Done, Basis: estimate.Measured}))
	}
	for name, c := range map[string]struct {
		steps *float64
		want  map[int][2]float64 // steps and seconds by batch size
	}{
		"as many units": {nil, map[int][2]float64{64: {10000, 100}, 128: {5000, 100}}},
		"fixed":         {new(2000.0), map[int][2]float64{64: {2000, 20}, 128: {2000, 40}}},
	} {
		w := question.Workload{Model: "lm", Mode: profile.Train, Steps: c.steps, Purchase: profile.OnDemand}.Whole(set)
		if w.LengthUnit() != "step" || w.Counted.Batch != 64 || w.Counted.StepsPerEpoch != 10000 ||
			c.steps == nil && w.InLengthUnit(*w.Epochs) != 10000 {
			t.Errorf("%s: asked as %+v", name, w)
		}
		l := NewList(set, w, nil, nil)
		if l.Len() != 2 {
			t.Fatalf("%s: %d candidates", name, l.Len())
		}
		for i := range l.Len() {
			x := l.At(i)
			want := c.want[x.BatchSize]
			if x.Steps == nil || math.Abs(*x.Steps-want[0]) > 1e-6 || math.Abs(x.Time.Value-want[1]) > 0.1 {
				t.Errorf("%s at batch %d: %v steps in %g s, want %v", name, x.BatchSize, x.Steps, x.Time.Value, want)
			}
			line, _ := x.Line(objective.Time)
			at, ok := x.Length(w)
			if !ok || math.Abs(line.Slope/w.InLengthUnit(1)*at-want[1]) > 0.1 {
				t.Errorf("%s at batch %d: %g s over the length at %g", name, x.BatchSize, line.Slope/w.InLengthUnit(1)*at, at)
			}
		}
	}
}
