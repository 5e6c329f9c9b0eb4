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
	if math.Abs(got.Slower-want.Slower) > 0.005 || math.Abs(got.Faster-want.Faster) > 0.005 ||
		math.Abs(got.Share-want.Share) > 0.005 {
		t.Errorf("%+v, published %+v", got, want)
	}
}

// Trainings that go on otherwise than they began, with no other run known: their first
// two epochs mark few of them, and few of the steady ones. The interval is that of any
// training.
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
		if alarms > len(steady)/10 || told < 2 || width > 0.5 {
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
