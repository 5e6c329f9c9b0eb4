package validate

import (
	"math"
	"slices"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// training is a complete run of equal epochs with work at its end, in seconds.
func trainingRun(system string, epochs int, seconds, end float64) profile.Run {
	r := profile.Run{Model: "net", InstanceType: system, Mode: profile.Train, Status: profile.Done,
		Basis: estimate.Measured}
	for i := range epochs {
		r.EpochStartsS = append(r.EpochStartsS, 5+seconds*float64(i))
	}
	r.TotalS = new(5 + seconds*float64(epochs) + end)
	return r
}

func TestTotalAsksOfCompleteRuns(t *testing.T) {
	capped := trainingRun("a", 8, 100, 0)
	capped.Epochs = new(20.0)
	set := &profile.Set{Runs: []profile.Run{
		trainingRun("a", 8, 100, 30), trainingRun("b", 6, 30, 0), trainingRun("c", 5, 100, 0),
		trainingRun("d", 8, 29, 0), capped,
	}}
	long, short := total("total", 2, true).Cases(set), total("total-short", 2, false).Cases(set)
	if len(long) != 2 || len(short) != 1 {
		t.Fatalf("%d and %d cases, want 2 and 1", len(long), len(short))
	}
	if c := long[0]; c.Truth != 835 || c.Plain != 805 || !c.Predicted.Known() || c.Of == "" {
		t.Errorf("%+v", c)
	}
	if c := total("total1", 1, true).Cases(set)[0]; !math.IsNaN(c.Plain) || !c.Predicted.Known() {
		t.Errorf("method 1 has no second epoch: %+v", c)
	}
}

// Repeats of the run asked for are left out: only other series may tell of the
// work at the end.
func TestTotalLeavesTheSeriesOut(t *testing.T) {
	var repeats []profile.Run
	for range 5 {
		repeats = append(repeats, trainingRun("a", 8, 100, 300))
	}
	c := total("total", 2, true).Cases(&profile.Set{Runs: repeats})[0]
	if math.Abs(c.Predicted.Value-c.Plain) > 1e-9 {
		t.Errorf("predicted %v with nothing but its own repeats to learn from, plain %g", c.Predicted, c.Plain)
	}
	others := slices.Concat(repeats, []profile.Run{trainingRun("b", 8, 120, 360), trainingRun("c", 8, 90, 270),
		trainingRun("d", 8, 110, 330)})
	sizes := slices.Clone(others) // so many of the same machine are another series
	for k := range others[len(repeats):] {
		r := &sizes[len(repeats)+k]
		r.InstanceType, r.Count = "a", k+2
	}
	for of, runs := range map[string][]profile.Run{"systems": others, "sizes": sizes} {
		if d := total("total", 2, true).Cases(&profile.Set{Runs: runs})[0]; d.Error() > c.Error()/2 {
			t.Errorf("off by %.3f with other %s to learn from, %.3f without", d.Error(), of, c.Error())
		}
	}
}
