package curve

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func TestNever(t *testing.T) {
	// Batch 64 always reaches 0.6; two of three trainings with 1024 end at 0.5.
	runs := rising(256, 16, 64)
	for i := range 3 {
		o := course(1024, levels, func(l float64) float64 { return 5000 * l })
		if i > 0 {
			o.Points = o.Points[:5]
		}
		runs = append(runs, o)
	}
	hard := New(runs, true).Target(0.6)
	at := func(b float64) float64 { return hard.At(b).Never }
	if !(at(64) < 0.15 && at(64) < at(128) && at(128) < at(256) && at(256) < at(1024) && at(1024) > 0.5) {
		t.Errorf("never: %.3f, %.3f, %.3f, %.3f", at(64), at(128), at(256), at(1024))
	}
	near(t, "half way", at(256), (at(64)+at(1024))/2, 1e-9)
	if at(1) <= at(16) || at(1e9) >= at(1024) || at(1e9) < 0.499 {
		t.Errorf("beyond: %.3f from %.3f, %.3f from %.3f", at(1), at(16), at(1e9), at(1024))
	}
	if easy := New(runs, true).Target(0.5).At(1024).Never; easy > 0.1 {
		t.Errorf("0.5 was always reached, yet never %.2f", easy)
	}
	// The mean is of those that did reach it.
	if e := hard.At(1024).Epochs.Value; e != 3000 {
		t.Errorf("%g epochs, not 3000", e)
	}
}

// A beginning says nothing about never.
func TestBegun(t *testing.T) {
	full := rising(256, 256)
	begun := course(1024, levels[:2], func(l float64) float64 { return 1000 * l * (1 + 1024/256) })
	begun.Converged = false
	with, without := New(append(full, begun), true).Target(0.6), New(full, true).Target(0.6)
	near(t, "stretched", typical(with, 1024), 3000, 0.02)
	near(t, "not begun", typical(without, 1024), 1200, 0.01)
	if with.At(1024).Never != without.At(1024).Never {
		t.Error("a beginning changed how likely a training never reaches the target")
	}
	for batch, want := range map[float64]string{
		1024: "from its own beginning and trainings with one other batch size",
		512:  "from trainings with 2 other batch sizes, 1 of them only begun",
		256:  "one training with this batch size",
	} {
		if o := with.At(batch); o.Why != want || (o.Epochs.Basis == estimate.Measured) != (batch == 256) {
			t.Errorf("batch %g: %v, %q", batch, o.Epochs.Basis, o.Why)
		}
	}
	// One that went on for longer than it should have bounds the rest from below.
	begun.Points = append(begun.Points, Point{5000, 0.21})
	if e := typical(New(append(full, begun), true).Target(0.6), 1024); e < 4900 {
		t.Errorf("%g epochs, though 5000 were not enough", e)
	}
}

func TestFinal(t *testing.T) {
	ending := func(batch, value float64) LearningCurve {
		return LearningCurve{Batch: batch, Converged: true, Basis: estimate.Measured, Points: []Point{{1, value / 2},
			{50, value}}}
	}
	w := New([]LearningCurve{ending(64, 0.71), ending(64, 0.69), ending(1024, 0.60)}, true)
	there, middle, beyond, far := w.Final(64), w.Final(256), w.Final(4096), w.Final(65536)
	near(t, "at 64", there.Value, 0.70, 1e-9)
	near(t, "half way", middle.Value, 0.65, 1e-9)
	near(t, "beyond", beyond.Value, 0.60, 1e-9)
	if there.Basis != estimate.Measured || middle.Basis != estimate.OtherBatch {
		t.Errorf("bases %v, %v", there.Basis, middle.Basis)
	}
	if !(there.HalfWidth() < middle.HalfWidth() && beyond.HalfWidth() < far.HalfWidth()) {
		t.Errorf("intervals %+v, %+v, %+v, %+v", there, middle, beyond, far)
	}
	// Lower is better: the mirror image.
	loss := New([]LearningCurve{{Batch: 64, Converged: true, Basis: estimate.Measured,
		Points: []Point{{1, 0.9}, {2, 0.3}}}}, false)
	if e := loss.Final(64); e.Value != 0.3 || !(e.Low < 0.3 && e.High > 0.3) {
		t.Errorf("loss %+v", e)
	}
	if New(nil, true).Final(64).Known() ||
		New([]LearningCurve{{Batch: 64, Points: []Point{{1, 0.5}}}}, true).Final(64).Known() {
		t.Error("an end without a whole run")
	}
}

func TestChoose(t *testing.T) {
	tried := func(batch, epochs, each float64) Option {
		return Option{Batch: batch, Epochs: epochs, PerEpoch: each, Tried: true}
	}
	untried := func(batch, epochs, each float64) Option {
		return Option{Batch: batch, Epochs: epochs, PerEpoch: each}
	}
	never := func(o Option, p float64) Option { o.Never = p; return o }
	vague := func(o Option, e float64) Option { o.Error = e; return o }
	for name, c := range map[string]struct {
		options []Option
		want    int
	}{
		"cheapest":               {[]Option{untried(8, 10, 3), untried(16, 10, 2)}, 1},
		"tried, if not by much":  {[]Option{tried(8, 100, 1), untried(16, 100, 0.95)}, 0},
		"untried, if by much":    {[]Option{tried(8, 100, 1), untried(16, 100, 0.8)}, 1},
		"no bet on a dip":        {[]Option{tried(8, 100, 1), untried(16, 50, 1), tried(32, 90, 1)}, 2},
		"a dip and faster":       {[]Option{tried(8, 100, 1), untried(16, 50, 0.7), tried(32, 90, 1)}, 1},
		"no bet beyond the ends": {[]Option{tried(8, 100, 1), tried(32, 90, 1), untried(64, 40, 1)}, 1},
		"reached more often":     {[]Option{never(tried(8, 100, 1), 0.1), never(tried(16, 80, 1), 0.5)}, 0},
		"never not known":        {[]Option{never(tried(8, 2, 1), math.NaN()), tried(16, 3, 1)}, 0},
		"flattered by its seeds": {[]Option{vague(tried(8, 97, 1), 0.1), vague(tried(16, 100, 1), 0.02)}, 1},
		"none":                   {nil, -1},
		"epochs not known":       {[]Option{tried(8, math.NaN(), 1), tried(16, 3, 1)}, 1},
	} {
		if got := Choose(c.options); got != c.want {
			t.Errorf("%s: %d, not %d", name, got, c.want)
		}
	}
}

func TestWorkloads(t *testing.T) {
	run := func(batch int, basis estimate.Basis, epochs float64, values ...float64) profile.Run {
		r := profile.Run{Model: "net", Dataset: "images", Mode: profile.Train, BatchSize: batch, Status: profile.Done,
			Basis: basis}
		if epochs > 0 {
			r.Epochs = &epochs
		}
		for i, v := range values {
			r.Validations = append(r.Validations, profile.Validation{Epoch: i, Metric: "top1", Value: &v, HigherIsBetter: true})
		}
		return r
	}
	infer := run(8, estimate.Measured, 0, 0.5)
	infer.Mode = profile.Infer
	pruned := run(8, estimate.Measured, 0, 0.5)
	pruned.Variant.Pruning = &profile.Pruning{Ratio: new(0.3)}
	set := &profile.Set{Runs: []profile.Run{
		run(8, estimate.Measured, 90, 0.3, 0.5),                                   // stopped after two of 90 epochs
		run(16, estimate.Measured, 0, 0.3, 0.5, 0.49, 0.48, 0.49, 0.5, 0.49, 0.4), // no better for long
		run(32, estimate.Measured, 2, 0.3, 0.5),                                   // two epochs were meant, which says little
		run(64, estimate.Published, 2, 0.3, 0.5),                                  // its authors thought them enough
		run(0, estimate.Measured, 2, 0.3, 0.5), run(8, estimate.Measured, 2), infer, pruned,
	}}
	list := Workloads(set)
	if len(list) != 2 || list[0].Model != "net" || list[0].Metric != "top1" {
		t.Fatalf("%d workloads: %+v", len(list), list)
	}
	w := list[0].Workload
	for batch, want := range map[float64]int{8: 0, 16: 1, 32: 0, 64: 1} {
		if got := w.Reached(batch, 0.9).Never; got != want {
			t.Errorf("batch %g: %d runs show that 0.9 is never reached, not %d", batch, got, want)
		}
		if r := w.Reached(batch, 0.5); r.Runs != 1 || r.Epochs != 2 {
			t.Errorf("batch %g: %+v", batch, r)
		}
	}
	if got := list[1].Workload.Batches; len(got) != 1 || got[0] != 8 || list[1].Key == list[0].Key {
		t.Errorf("the pruned variant: batches %v, key %+v", got, list[1].Key)
	}
	if got := w.Levels(10); len(got) != 2 || got[0] != 0.3 || got[1] != 0.5 {
		t.Errorf("levels %v", got)
	}
}
