package main

import (
	"math"
	"testing"

	"sweetspot/engine/training"
	"sweetspot/engine/validate"
)

// The published constants are what the set gives.
func TestUnsteadinessIsFitted(t *testing.T) {
	got, want := training.FitUnsteadiness(published(t, "uneven").Runs), training.PublishedUnsteadiness
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.005 }
	if !near(got.Slower.Mean, want.Slower.Mean) || !near(got.Faster.Mean, want.Faster.Mean) ||
		got.Slower.Of != want.Slower.Of || got.Faster.Of != want.Faster.Of ||
		!near(got.SlowStarts, want.SlowStarts) || !near(got.Others, want.Others) {
		t.Errorf("%+v, published %+v", got, want)
	}
}

// Trainings that go on otherwise than they began, with no other run known: their first
// two epochs mark few of them, and few of the steady ones. The interval of those that begin
// slowly holds most of them.
func TestUnevenTrainings(t *testing.T) {
	set := published(t, "uneven")
	for _, fit := range []bool{true, false} {
		questions := validate.Alone(fit)
		steady, uneven := questions[0].Cases(set), questions[1].Cases(set)
		if len(steady) != 134 || len(uneven) != 6 {
			t.Fatalf("%d steady, %d uneven", len(steady), len(uneven))
		}
		alarms, told := 0, 0
		for _, c := range steady {
			if c.Flagged {
				alarms++
			}
		}
		for _, c := range uneven {
			if c.Flagged || c.Predicted.High >= c.Truth && c.Predicted.Low <= c.Truth {
				told++
			}
		}
		width := validate.Summarise(steady).MedianHalfWidth
		if alarms > len(steady)/10 || told < 4 || width > 0.25 {
			t.Errorf("fitted %v: %d of %d steady ones flagged, %d of %d uneven ones flagged or inside", fit, alarms,
				len(steady), told, len(uneven))
		}
	}
}

// MLPerf's later rounds by the earlier ones.
func TestLaterRoundsOfMLPerf(t *testing.T) {
	set := published(t, "mlperf")
	for _, q := range further("mlperf") {
		if q.Name != "total-later" {
			continue
		}
		s := validate.Summarise(q.Cases(set))
		if s.N < 200 || s.Mean > s.Plain || s.P90 > 0.024 || s.Coverage < 0.88 {
			t.Errorf("%d runs: mean %.4f, plain %.4f, p90 %.4f, coverage %.3f", s.N, s.Mean, s.Plain, s.P90, s.Coverage)
		}
		return
	}
	t.Error("it is not asked")
}

// MLPerf's trainings, from which no constant comes: nine in ten of those that go on
// otherwise than they began are flagged or inside.
func TestUnevenTrainingsOfMLPerf(t *testing.T) {
	set := published(t, "mlperf")
	questions := validate.Alone(false)
	steady, uneven := questions[0].Cases(set), questions[1].Cases(set)
	told := 0.0
	for _, c := range uneven {
		if c.Flagged || c.Predicted.Low <= c.Truth && c.Truth <= c.Predicted.High {
			told++
		}
	}
	if s := validate.Summarise(steady); told < 0.9*float64(len(uneven)) || s.Coverage < 0.9 || s.MedianHalfWidth > 0.1 {
		t.Errorf("%g of %d uneven ones flagged or inside; %.3f of the steady ones inside, half-width %.3f", told, len(uneven),
			s.Coverage, s.MedianHalfWidth)
	}
}
