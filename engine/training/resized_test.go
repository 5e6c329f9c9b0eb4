package training

import (
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func TestResized(t *testing.T) {
	run := func(batch int, perEpoch float64) profile.Run {
		return profile.Run{Mode: profile.Train, BatchSize: batch, TrainSize: new(6000.0), IterationsPerEpoch: &perEpoch,
			Epochs: new(20.0), Steady: estimate.Exact(0.01, estimate.Measured), TotalS: new(70.0), ValidationS: new(1.0),
			Accuracy: &profile.Accuracy{Value: 0.9}, EpochStartsS: []float64{0, 1, 2}}
	}
	for _, c := range []struct {
		name  string
		run   profile.Run
		units float64
		want  float64
	}{
		{"the last batch is smaller", run(256, 24), 60000, 235},
		{"the last batch is left out", run(256, 23), 60000, 234},
		{"batches fill epochs", run(60, 100), 60000, 1000},
		{"a smaller set", run(256, 24), 1000, 4},
		{"less than a batch", run(256, 23), 100, 1},
		{"two batches a step", run(256, 12), 60000, 120},
	} {
		got := Resized(c.run, c.units)
		if *got.IterationsPerEpoch != c.want || *got.TrainSize != c.units || *got.Epochs != 20*6000/c.units {
			t.Errorf("%s: %g iterations for %g units, %g epochs; want %g", c.name, *got.IterationsPerEpoch, *got.TrainSize,
				*got.Epochs, c.want)
		}
		if got.TotalS != nil || got.Accuracy != nil || got.EpochStartsS != nil || *got.ValidationS != 1 ||
			got.Steady != c.run.Steady || *c.run.TrainSize != 6000 || c.run.TotalS == nil {
			t.Errorf("%s: %+v of %+v", c.name, got, c.run)
		}
	}
	unknown, same := run(256, 24), run(256, 24)
	unknown.TrainSize = nil
	for r, units := range map[*profile.Run]float64{&unknown: 60000, &same: 6000} {
		if got := Resized(*r, units); *got.IterationsPerEpoch != 24 || got.TotalS == nil {
			t.Errorf("changed to %+v", got)
		}
	}
	total := run(256, 24)
	total.Steady = estimate.Estimate{}
	if got := Scaled(Resized(total, 60000), 20, nil); got.Value != 700 {
		t.Errorf("70 s for ten times as much work: %+v", got)
	}
}

// Checkpoints at the ends of epochs stay there, and those every so many iterations, too.
func TestResizedPauses(t *testing.T) {
	for first, want := range map[int]struct {
		at    []int
		words string
	}{
		100: {[]int{1000, 2000, 3000}, "with 5 checkpoints of 1.00 s"},
		50:  {[]int{50, 150, 250}, "with 50 checkpoints of 1.00 s"},
	} {
		r := profile.Run{Mode: profile.Train, BatchSize: 60, TrainSize: new(6000.0), IterationsPerEpoch: new(100.0),
			Steady: estimate.Exact(0.01, estimate.Measured), SteadyN: first + 230}
		for _, at := range []int{first, first + 100, first + 200} {
			r.Pauses = append(r.Pauses, profile.Pause{Seconds: 1, Kind: "checkpoint", Iterations: &at})
		}
		got := Resized(r, 60000)
		var all []int
		for _, p := range got.Pauses {
			all = append(all, *p.Iterations)
		}
		if words := PausesOf(got).Words(5); !slices.Equal(all, want.at) || !strings.HasPrefix(words, want.words) &&
			!strings.HasPrefix(words, "with about 50 checkpoints of 1.00 s") {
			t.Errorf("first after %d iterations: then after %v, %s", first, all, words)
		}
	}
}
