package curve

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// course is a whole run that reaches each level after epochs(level).
func course(batch float64, levels []float64, epochs func(level float64) float64) LearningCurve {
	o := LearningCurve{Batch: batch, Converged: true, Basis: estimate.Measured}
	for _, l := range levels {
		o.Points = append(o.Points, Point{math.Ceil(epochs(l)), l})
	}
	return o
}

var levels = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}

// rising needs 1000·level·(1 + B/K) epochs.
func rising(critical float64, batches ...float64) []LearningCurve {
	var runs []LearningCurve
	for _, b := range batches {
		runs = append(runs, course(b, levels, func(l float64) float64 { return 1000 * l * (1 + b/critical) }))
	}
	return runs
}

// typical is what a prediction says without the tail of what may come.
func typical(t *Target, batch float64) float64 {
	if r, ok := t.exact[batch]; ok {
		return r.Epochs
	}
	return counted(t.predict(batch), 0.01)
}

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= rel) {
		t.Errorf("%s is %.5g, not %.5g", what, got, want)
	}
}

func TestRisesLinearly(t *testing.T) {
	target := New(rising(256, 16, 256, 2048), true).Target(0.5)
	for _, b := range []float64{32, 64, 128, 512, 1024} {
		o := target.At(b)
		want := 500 * (1 + b/256)
		near(t, "typical", typical(target, b), want, 0.01)
		near(t, "expected", o.Epochs.Value, want, 0.02)
		if e := o.Epochs; e.Low > want || e.High < want || e.Basis != estimate.OtherBatch {
			t.Errorf("batch %g: %+v does not hold %g", b, e, want)
		}
	}
	// The rise goes on beyond what was trained with, less and less surely.
	near(t, "beyond", typical(target, 4096), 500*(1+4096/256.0), 0.01)
	if in, out, far := target.At(1024).Epochs.HalfWidth(), target.At(4096).Epochs.HalfWidth(),
		target.At(16384).Epochs.HalfWidth(); !(in < out && out < far) {
		t.Errorf("half-widths %.3f within, %.3f a doubling beyond, %.3f three", in, out, far)
	}
}

// The critical batch size is the easier targets' too, and what the ends add is
// the target's own.
func TestBorrowsTheRiseFromEasierTargets(t *testing.T) {
	truth := func(b, l float64) float64 {
		e := 1000 * l * (1 + b/256)
		if l == 0.6 {
			e += 3000 * (8 / b) * (8 / b)
		}
		return e
	}
	var runs []LearningCurve
	for _, b := range []float64{8, 128, 2048} {
		runs = append(runs, course(b, levels, func(l float64) float64 { return truth(b, l) }))
	}
	target := New(runs, true).Target(0.6)
	for _, b := range []float64{16, 32, 64, 512, 1024} {
		near(t, "epochs", typical(target, b), truth(b, 0.6), 0.03)
	}
}

func TestTrainedBatchIsItsMean(t *testing.T) {
	runs := append(rising(256, 16, 256, 2048), course(16, levels, func(l float64) float64 { return 1200 * l }))
	o := New(runs, true).Target(0.5).At(16)
	want := (math.Ceil(500*(1+16/256.0)) + 600) / 2
	if o.Epochs.Value != want || o.Epochs.Basis != estimate.Measured || o.Epochs.Low >= want || o.Epochs.High <= want {
		t.Errorf("%+v, not %g", o.Epochs, want)
	}
}

func TestFewEpochs(t *testing.T) {
	// Reached within the first epoch everywhere, but perhaps only just: one epoch,
	// two at most.
	var runs []LearningCurve
	for _, b := range []float64{8, 64, 512} {
		runs = append(runs, course(b, []float64{0.5}, func(float64) float64 { return 1 }))
	}
	e := New(runs, true).Target(0.5).At(32).Epochs
	if math.Abs(e.Value-1) > 1e-3 || e.Low != 1 || e.High > 2 {
		t.Errorf("one epoch everywhere: %+v", e)
	}
}

func TestNothingToSay(t *testing.T) {
	w := New(nil, true)
	if o := w.Target(0.5).At(32); o.Epochs.Known() || !math.IsNaN(o.Never) || o.Why == "" {
		t.Errorf("no runs: %+v", o)
	}
	w = New(rising(256, 16, 256), true)
	if o := w.Target(0.99).At(32); o.Epochs.Known() || o.Never < 0.5 {
		t.Errorf("never reached: %+v", o)
	}
	if o := w.Target(0.5).At(0); o.Epochs.Known() {
		t.Errorf("batch 0: %+v", o)
	}
}

// With one batch size trained with the epochs are taken as they are, widely;
// with two the rise is known.
func TestFewBatchSizes(t *testing.T) {
	from := func(batches ...float64) *Target { return New(rising(256, batches...), true).Target(0.5) }
	near(t, "from one", typical(from(256), 512), 1000, 0.01)
	near(t, "from two", typical(from(64, 256), 512), 1500, 0.02)
	one, two, three := from(256).At(512).Epochs, from(64, 256).At(512).Epochs, from(64, 128, 256).At(512).Epochs
	if !(one.HalfWidth() > two.HalfWidth() && two.HalfWidth() > three.HalfWidth()) {
		t.Errorf("half-widths %.3f, %.3f, %.3f", one.HalfWidth(), two.HalfWidth(), three.HalfWidth())
	}
	if one.High < 1500 {
		t.Errorf("one batch size rules out what is true: %+v", one)
	}
}

func TestEvaluatedSeldom(t *testing.T) {
	run := LearningCurve{Points: []Point{{4, 0.4}, {8, 0.6}, {9, 0.7}}}
	for target, want := range map[float64]float64{0.4: 4, 0.6: 8, 0.5: 6, 0.65: 9, 0.3: 4} {
		if got, ok := run.reach(target); !ok || got != want {
			t.Errorf("%g reached after %g epochs, not %g", target, got, want)
		}
	}
	if _, ok := run.reach(0.71); ok {
		t.Error("reached what it never did")
	}
}

// drawn is a workload made up at random: epochs rise with batch size and target.
func drawn(t *rapid.T) (runs []LearningCurve, batches []float64) {
	n := rapid.IntRange(1, 5).Draw(t, "batch sizes")
	b := rapid.Float64Range(1, 64).Draw(t, "smallest")
	for range n {
		b *= rapid.Float64Range(1.2, 8).Draw(t, "factor")
		batches = append(batches, b)
	}
	for _, b := range batches {
		for range rapid.IntRange(1, 3).Draw(t, "seeds") {
			o := LearningCurve{Batch: b, Converged: true, Basis: estimate.Measured}
			epochs := 0.0
			for _, l := range levels {
				epochs += float64(rapid.IntRange(0, 30).Draw(t, "epochs"))
				o.Points = append(o.Points, Point{math.Max(1, epochs), l})
			}
			runs = append(runs, o)
		}
	}
	return runs, batches
}

func TestAnyWorkload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs, batches := drawn(t)
		batch := rapid.Float64Range(0.5, 1e6).Draw(t, "asked")
		if rapid.Bool().Draw(t, "trained") {
			batch = batches[0]
		}
		w := New(runs, true)
		before := 0.0
		for _, l := range levels {
			target := w.Target(l)
			o := target.At(batch)
			e := o.Epochs
			if !e.Known() || !(1 <= e.Low && e.Low <= e.Value && e.Value <= e.High) || math.IsInf(e.High, 0) || o.Never < 0 ||
				o.Never > 1 {
				t.Fatalf("to %g with %g: %+v, never %g", l, batch, e, o.Never)
			}
			now := typical(target, batch)
			if now < before-1e-9 {
				t.Fatalf("to %g takes %g epochs, the easier one %g", l, now, before)
			}
			before = now
		}
	})
}

// Neither the unit of the batch size nor the direction of the metric matters.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs, batches := drawn(t)
		asked := batches[0] * rapid.Float64Range(0.2, 50).Draw(t, "asked")
		factor := math.Exp2(float64(rapid.IntRange(-3, 10).Draw(t, "factor")))
		other := make([]LearningCurve, len(runs))
		for i, r := range runs {
			other[i] = r
			other[i].Batch *= factor
			other[i].Points = nil
			for _, p := range r.Points {
				other[i].Points = append(other[i].Points, Point{p.Epochs, 1 - p.Value})
			}
		}
		a, b := New(runs, true).Target(0.4).At(asked), New(other, false).Target(1-0.4).At(asked*factor)
		if math.Abs(a.Epochs.Value/b.Epochs.Value-1) > 1e-6 || math.Abs(a.Epochs.High/b.Epochs.High-1) > 1e-6 {
			t.Fatalf("%+v, %+v", a, b)
		}
	})
}

func BenchmarkTarget(b *testing.B) {
	w := New(rising(256, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096), true)
	for b.Loop() {
		w.Target(0.6)
	}
}

func BenchmarkAt(b *testing.B) {
	target := New(rising(256, 8, 64, 4096), true).Target(0.6)
	for b.Loop() {
		target.At(100)
	}
}

// The batch size of a run is that of the whole job, however many VMs it ran on.
func TestBatchOfSeveralVMs(t *testing.T) {
	r := profile.Run{
		Model: "net", Mode: profile.Train, BatchSize: 256, Count: 4, Status: profile.Done, Basis: estimate.Measured,
		Epochs:      new(1.0),
		Validations: []profile.Validation{{Epoch: 0, Metric: "top1", Value: new(0.5), HigherIsBetter: true}},
	}
	w := Workloads(&profile.Set{Runs: []profile.Run{r}})
	if len(w) != 1 || len(w[0].Batches) != 1 || w[0].Batches[0] != 256 {
		t.Errorf("%+v", w)
	}
}

// Prunings of other layers are other workloads.
func TestKeyOfPrunings(t *testing.T) {
	key := func(layers ...string) Key {
		p := profile.Pruning{Kind: "filters", Layers: map[string]float64{}}
		for _, l := range layers {
			p.Layers[l] = 0.3
		}
		return KeyOf(profile.Run{Model: "net", Variant: profile.Variant{Pruning: &p}}, "top1")
	}
	if key("conv1") == key("conv2") || key("conv1", "conv2") != key("conv2", "conv1") {
		t.Errorf("%+v and %+v", key("conv1"), key("conv2"))
	}
}

// One's own trainings on more data are another workload; of what others published the number
// of samples may be written differently for the same one.
func TestCurvesOfOtherSizesAreApart(t *testing.T) {
	run := func(size float64, command ...string) profile.Run {
		return profile.Run{Model: "net", Mode: profile.Train, BatchSize: 64, Command: command, TrainSize: &size,
			Basis: estimate.Measured, Validations: []profile.Validation{{Metric: "top1", Value: new(0.5)}}}
	}
	set := &profile.Set{Runs: []profile.Run{run(6000, "train"), run(60000, "train"), run(6000, "train"), run(1), run(2)}}
	var sizes []float64
	for _, w := range Workloads(set) {
		sizes = append(sizes, w.Size)
	}
	if !slices.Equal(sizes, []float64{0, 6000, 60000}) {
		t.Errorf("workloads of %v", sizes)
	}
}
