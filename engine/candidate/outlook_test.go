package candidate_test

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// course is a training at a batch size whose metric rises by a twentieth an
// epoch times k.
func course(batch int, k float64) profile.Run {
	r := steadily(train(batch, "p2"), 10, 0.1, 100)
	r.Epochs = new(20.0)
	for e := range 20 {
		v := math.Min(0.95, 0.05*k*float64(e+1))
		r.Validations = append(r.Validations, profile.Validation{Epoch: e, Metric: "top1", Value: &v, HigherIsBetter: true})
	}
	r.Accuracy = &profile.Accuracy{Metric: "top1", Value: 0.95, HigherIsBetter: true, Basis: estimate.Measured}
	return r
}

// The time to a target holds what the epochs are uncertain by, and a batch size
// that was never trained with has epochs and a final accuracy by the others.
func TestEpochsToATarget(t *testing.T) {
	set := runs(course(64, 1.5), course(128, 1), course(256, 0.6))
	w := question.Workload{Model: "net", Mode: profile.Train, Purchase: profile.OnDemand, TargetAccuracy: new(0.6)}
	fixed := w
	fixed.TargetAccuracy, fixed.Epochs = nil, new(12.0)
	known := build(set, fixed)
	for i, c := range build(set, w) {
		want := []float64{8, 12, 20}[i]
		if c.Epochs == nil || math.Abs(*c.Epochs-want) > 1 || c.EpochsWhy == "" || !c.EpochsRange.Known() {
			t.Errorf("batch %d: %v epochs, want %g; %q", c.BatchSize, c.Epochs, want, c.EpochsWhy)
		}
		if c.Time.HalfWidth() <= known[i].Time.HalfWidth() {
			t.Errorf("batch %d: ±%g, no wider than ±%g of a fixed number of epochs", c.BatchSize, c.Time.HalfWidth(),
				known[i].Time.HalfWidth())
		}
	}

	// Batch 192 was timed, but never trained to its end: its epochs are the
	// others', and yet it was probed.
	short := course(192, 1)
	short.Validations, short.Accuracy, short.Epochs, short.ID = nil, nil, nil, 9
	timed := runs(set.Runs...)
	timed.Runs = append(timed.Runs, short)
	one := w
	one.BatchSizes = []int{192}
	if got := build(timed, one); len(got) != 1 || got[0].IsPredicted() || got[0].Time.Basis != estimate.OtherBatch {
		t.Errorf("a probed batch size with others' epochs: %+v", got)
	}

	for i := range set.Runs {
		set.Runs[i].Cloud, set.Runs[i].Region, set.Runs[i].InstanceType, set.Runs[i].TrainSize = "aws", "us", "measured",
			new(12800.0)
	}
	set.VMTypes = twoTypes().VMTypes[:1]
	w.BatchSizes = []int{192}
	got := predict(set, w, guess{0.1})
	if len(got) != 1 {
		t.Fatalf("%d candidates", len(got))
	}
	c := got[0]
	if *c.Epochs < 12 || *c.Epochs > 20 || c.Quality == nil || c.Quality.Estimate.Value <= 0.6 ||
		c.Quality.Estimate.Value >= 0.95 || c.Quality.Estimate.High <= c.Quality.Estimate.Low {
		t.Errorf("batch 192: %v epochs (%s), quality %+v", *c.Epochs, c.EpochsWhy, c.Quality)
	}
	if !strings.Contains(c.EpochsWhy, "batch") {
		t.Errorf("why %q", c.EpochsWhy)
	}
}

// The recommendation differs from the first place where that rests on a batch
// size nobody has trained with and is ahead by less than such predictions err.
func TestRecommendedBatch(t *testing.T) {
	set := runs(course(64, 1), course(256, 1))
	timed := course(128, 1) // never trained to its end, timed a little faster an epoch
	timed.Validations, timed.Accuracy, timed.Epochs, timed.ID = nil, nil, nil, 9
	timed.Steady = timed.Steady.Times(0.97)
	set.Runs = append(set.Runs, timed)
	w := question.Workload{Model: "net", Mode: profile.Train, TargetAccuracy: new(0.6)}
	r := rank.Evaluate(rank.NewSpace(candidate.NewList(set, w, nil, nil)),
		question.Query{Workload: w, Sort: question.ByTime})
	i, ok := advice.Recommended(r)
	if first := r.Space.At(r.First()); !ok || first.BatchSize != 128 || r.Space.At(i).BatchSize == 128 {
		t.Fatalf("first batch %d, recommended %d, %v", first.BatchSize, r.Space.At(i).BatchSize, ok)
	}
	set.Runs[2].Steady = timed.Steady.Times(0.5)
	r = rank.Evaluate(rank.NewSpace(candidate.NewList(set, w, nil, nil)),
		question.Query{Workload: w, Sort: question.ByTime})
	if i, ok := advice.Recommended(r); !ok || r.Space.At(i).BatchSize != 128 {
		t.Errorf("twice as fast, yet recommended is batch %d, %v", r.Space.At(i).BatchSize, ok)
	}
	w.TargetAccuracy, w.Epochs = nil, new(3.0)
	r = rank.Evaluate(rank.NewSpace(candidate.NewList(set, w, nil, nil)),
		question.Query{Workload: w, Sort: question.ByTime})
	if i, ok := advice.Recommended(r); !ok || i != r.First() {
		t.Errorf("without a target %d is recommended, not the first: %v", i, r.Order())
	}
}
