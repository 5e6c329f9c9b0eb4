package candidate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
)

// own is a probe of a script of the user's own.
func own(id int64, size float64, batch int, iteration float64) profile.Run {
	return profile.Run{ID: id, Model: "net", Mode: profile.Train, Unit: "image", InstanceType: "desk", Count: 1,
		Command: []string{"python3", "train.py"}, BatchSize: batch, TrainSize: &size,
		IterationsPerEpoch: new(math.Ceil(size / float64(batch))), Steady: estimate.Around(iteration, iteration/50,
			estimate.Measured), SteadyN: 40, InitS: new(3.0), FirstValidationS: new(2.0), Status: profile.Done,
		Basis: estimate.Measured}
}

// Three runs of one script on training sets of 6,000, 20,000 and 60,000 answer for the whole
// work that the newest announces.
func TestRunsOfOtherSizesAnswerForTheNewest(t *testing.T) {
	set := &profile.Set{Runs: []profile.Run{own(1, 6000, 64, 0.01), own(2, 20000, 128, 0.015), own(3, 60000, 256, 0.02)}}
	set.Runs[0].Epochs, set.Runs[2].Epochs = new(5.0), new(20.0)
	l := candidate.NewList(set, question.Workload{Model: "net", Mode: profile.Train, MaxCount: 1}, nil, nil)
	if l.Len() != 3 {
		t.Fatalf("%d candidates", l.Len())
	}
	for i, want := range []struct {
		iterations, iteration float64
		why                   string
	}{{938, 0.01, "training set of 6,000 images"}, {469, 0.015, "training set of 20,000 images"}, {235, 0.02, ""}} {
		c := l.At(i)
		seconds := 3 + want.iteration*(20*want.iterations-1) + 20*2
		if *c.Epochs != 20 || math.Abs(c.Time.Value-seconds) > 1e-9 || c.Time.Basis != estimate.Measured ||
			!strings.Contains(c.Why, want.why) || (want.why == "") != !strings.Contains(c.Why, "training set") {
			t.Errorf("batch %d: %g epochs in %+v, want %g s; %q", c.BatchSize, *c.Epochs, c.Time, seconds, c.Why)
		}
	}
}

// How many units a run had in its training set changes no answer: what is asked is the
// newest run's work.
func TestSizesAreNeverMixed(t *testing.T) {
	size := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(600, 90_000).Draw(t, "units")) })
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "runs")
		asked, sizes := size.Draw(t, "asked"), rapid.SliceOfN(size, n, n).Draw(t, "sizes")
		several, one := &profile.Set{}, &profile.Set{}
		for i := range n {
			batch := rapid.SampledFrom([]int{32, 64, 100, 256}).Draw(t, "batch")
			iteration := rapid.Float64Range(0.001, 1).Draw(t, "iteration")
			several.Runs = append(several.Runs, own(int64(i+1), sizes[i], batch, iteration))
			one.Runs = append(one.Runs, own(int64(i+1), asked, batch, iteration))
		}
		several.Runs[n-1].TrainSize, several.Runs[n-1].IterationsPerEpoch = one.Runs[n-1].TrainSize,
			one.Runs[n-1].IterationsPerEpoch
		w := question.Workload{Model: "net", Mode: profile.Train, MaxCount: 1,
			Epochs: new(float64(rapid.IntRange(1, 50).Draw(t, "epochs")))}
		a, b := candidate.NewList(several, w, nil, nil), candidate.NewList(one, w, nil, nil)
		for i := range b.Len() {
			if x, y := a.At(i), b.At(i); x.ID != y.ID || x.Time != y.Time || *x.TimeByEpochs != *y.TimeByEpochs {
				t.Fatalf("%s takes %+v, alike %+v", x.ID, x.Time, y.Time)
			}
		}
	})
}

// Accuracies and curves of another amount of data are of another work.
func TestAccuracyOfAnotherSizeIsNotTaken(t *testing.T) {
	set := &profile.Set{Runs: []profile.Run{own(1, 6000, 64, 0.01), own(2, 60000, 64, 0.01)}}
	set.Runs[0].Accuracy = &profile.Accuracy{Value: 0.7, HigherIsBetter: true, Basis: estimate.Measured}
	w := question.Workload{Model: "net", Mode: profile.Train, MaxCount: 1, Epochs: new(2.0)}
	if c := only(t, set, w); c.Quality != nil || len(c.Sources) != 2 {
		t.Errorf("%+v by runs %v", c.Quality, c.Sources)
	}
	w.TrainSize = new(6000.0)
	if c := only(t, set, w); c.Quality == nil || c.Quality.Estimate.Value != 0.7 {
		t.Errorf("asked for its own work: %+v", c.Quality)
	}
}

// What others published keeps the epochs of its source.
func TestPublishedRunsKeepTheirWork(t *testing.T) {
	set := &profile.Set{}
	for i, epochs := range []float64{5, 9} {
		r := own(int64(i+1), 6000*epochs, 64*(i+1), 0.01)
		r.Command, r.Epochs = nil, &epochs
		set.Runs = append(set.Runs, r)
	}
	l := candidate.NewList(set, question.Workload{Model: "net", Mode: profile.Train, MaxCount: 1}, nil, nil)
	for i, r := range set.Runs {
		if c, want := l.At(i), training.Training(r, *r.Epochs, nil); *c.Epochs != *r.Epochs || c.Time != want {
			t.Error(fmt.Sprintf("run %d:", r.ID), *c.Epochs, c.Time, want)
		}
	}
}
