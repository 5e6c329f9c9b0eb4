package validate

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
)

func TestSummarise(t *testing.T) {
	s := Summarise([]Case{
		{Truth: 100, Predicted: estimate.Estimate{Value: 110, Low: 95, High: 125, Basis: estimate.Measured}, Plain: 150},
		{Truth: 100, Predicted: estimate.Estimate{Value: 80, Low: 70, High: 90, Basis: estimate.Measured}, Plain: math.NaN()},
		{Truth: 100, Predicted: estimate.Exact(100, estimate.Measured), Plain: 100},
		{Truth: 100, Plain: 7},
	})
	want := Summary{N: 3, Unanswered: 1, Mean: 0.1, Median: 0.05, P90: s.P90, Coverage: 0.5, MedianHalfWidth: 0.125, Plain: 0.25, PlainMedian: s.PlainMedian}
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.06 }
	if s.N != 3 || s.Unanswered != 1 || !near(s.Mean, want.Mean) || !near(s.Median, 0.1) || s.Coverage != 0.5 || !near(s.MedianHalfWidth, 0.125) || s.Plain != 0.25 {
		t.Errorf("%+v", s)
	}
	if s.P90 < s.Median || s.P90 > 0.2+1e-9 {
		t.Errorf("p90 %g", s.P90)
	}
}

func TestNothingToSummarise(t *testing.T) {
	if s := Summarise([]Case{{Truth: 1}}); s.N != 0 || s.Unanswered != 1 || !math.IsNaN(s.Median) || !math.IsNaN(s.Coverage) {
		t.Errorf("%+v", s)
	}
}
