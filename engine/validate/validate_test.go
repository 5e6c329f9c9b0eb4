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
	// The errors are 0, 0.1 and 0.2, those of the baseline 0 and 0.5, the half
	// widths 15 of 110 and 10 of 80.
	want := Summary{N: 3, Unanswered: 1, Mean: 0.1, Median: 0.1, P90: 0.18, Coverage: 0.5,
		MedianHalfWidth: (15.0/110 + 10.0/80) / 2, Plain: 0.25, PlainMedian: 0.25}
	if s.N != want.N || s.Unanswered != want.Unanswered || s.Sampled {
		t.Errorf("%+v, want %+v", s, want)
	}
	for _, x := range [][2]float64{
		{s.Mean, want.Mean}, {s.Median, want.Median}, {s.P90, want.P90}, {s.Coverage, want.Coverage},
		{s.MedianHalfWidth, want.MedianHalfWidth}, {s.Plain, want.Plain}, {s.PlainMedian, want.PlainMedian},
	} {
		if !(math.Abs(x[0]-x[1]) < 1e-9) {
			t.Errorf("%g, want %g: %+v", x[0], x[1], s)
		}
	}
}

func TestNothingToSummarise(t *testing.T) {
	if s := Summarise([]Case{{Truth: 1}}); s.N != 0 || s.Unanswered != 1 || !math.IsNaN(s.Median) ||
		!math.IsNaN(s.Coverage) {
		t.Errorf("%+v", s)
	}
}
