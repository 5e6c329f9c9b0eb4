package main

import (
	"math"
	"testing"
)

// Totals of MLPerf's training runs from their first two epochs. The plain
// figures say that the runs are the ones the bars were set on.
func TestTotalsOfMLPerf(t *testing.T) {
	s := ask(t, "total", published(t, "mlperf"))
	if s.N != 522 || s.Unanswered != 0 || math.Abs(s.Plain-0.0175) > 5e-5 || math.Abs(s.PlainMedian-0.00705) > 5e-5 {
		t.Errorf("%d runs, baseline %.4f, %.5f", s.N, s.Plain, s.PlainMedian)
	}
	if s.Median > 0.006 || s.Mean > 0.012 || s.P90 > 0.018 {
		t.Errorf("median %.4f, mean %.4f, p90 %.4f", s.Median, s.Mean, s.P90)
	}
	sure(t, s)
}

// Runs with short epochs are harder, and still predicted better than by the
// baseline.
func TestShortTotalsOfMLPerf(t *testing.T) {
	s := ask(t, "total-short", published(t, "mlperf"))
	if s.N < 500 || s.Mean >= s.Plain || s.Median >= s.PlainMedian {
		t.Errorf("%d runs: %.4f, %.4f; plain %.4f, %.4f", s.N, s.Median, s.Mean, s.PlainMedian, s.Plain)
	}
	sure(t, s)
}
