package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/validate"
)

// All halves of few are looked at, each once and with its other half; of many,
// halves are drawn in which none is favoured.
func TestHalves(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 6, 8: 70, 12: 924, 13: drawnSplits, 60: drawnSplits} {
		all := halves(n)
		if len(all) != want {
			t.Errorf("%d halves of %d, want %d", len(all), n, want)
		}
		counts, seen := make([]int, n), map[string]bool{}
		for _, half := range all {
			if n > 1 && len(half) != n/2 && len(half) != n-n/2 {
				t.Fatalf("%d of %d", len(half), n)
			}
			slices.Sort(half)
			seen[fmt.Sprint(half)] = true
			for _, i := range half {
				counts[i]++
			}
		}
		if n <= allSplits && len(seen) != want {
			t.Errorf("of %d only %d are different", n, len(seen))
		}
		for _, c := range counts {
			if n > 1 && c != want/2 {
				t.Errorf("of %d halves of %d one is in %d", want, n, c)
			}
		}
	}
}

// The spread does not hang on what models are called, and holds what all cases
// together give.
func TestSplitsOfCases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "models")
		var cases, renamed []validate.Case
		for i := range n * rapid.IntRange(1, 4).Draw(t, "each") {
			value := rapid.Float64Range(0.5, 2).Draw(t, "predicted")
			c := validate.Case{Group: fmt.Sprint("m", i%n), Truth: 1, Predicted: estimate.Spread(value, 0.2,
				estimate.Transferred)}
			cases = append(cases, c)
			c.Group = fmt.Sprint("z", 100-i%n)
			renamed = append(renamed, c)
		}
		s, all := splitsOf(cases), validate.Summarise(cases)
		if other := splitsOf(renamed); other != s {
			t.Fatalf("%+v, renamed %+v", s, other)
		}
		if s.groups != n || all.Mean < s.one.low-1e-9 || all.Mean > s.one.high+1e-9 || s.mean.low > s.mean.high ||
			s.mean.low < s.one.low-1e-9 || s.mean.high > s.one.high+1e-9 {
			t.Fatalf("%+v of %+v", s, all)
		}
	})
}

// Eight models, one of which is off by half and the others by nothing: every
// half holds it or does not.
func TestSplitsShowTheOddOne(t *testing.T) {
	var cases []validate.Case
	for i := range 8 {
		value := 1.0
		if i == 3 {
			value = 1.5
		}
		cases = append(cases, validate.Case{Group: fmt.Sprint(i), Truth: 1, Predicted: estimate.Spread(value, 0.1,
			estimate.Transferred)})
	}
	s := splitsOf(cases)
	if s.mean.low != 0 || math.Abs(s.mean.high-0.125) > 1e-9 || s.coverage.low != 0.75 || s.coverage.high != 1 ||
		s.one.high != 0.5 {
		t.Errorf("%+v", s)
	}
	if s := splitsOf(nil); s.groups != 0 || !math.IsNaN(s.mean.low) {
		t.Errorf("of nothing: %+v", s)
	}
}

// A predictor that is worse than the baseline for every model is so beyond doubt; one
// that is worse for one model of eight and better for another is not.
func TestBesideTheBaseline(t *testing.T) {
	of := func(errors ...float64) splits {
		var cases []validate.Case
		for i, e := range errors {
			cases = append(cases, validate.Case{Group: fmt.Sprint(i), Truth: 1, Plain: 1.1,
				Predicted: estimate.Exact(1+e, estimate.Transferred)})
		}
		return splitsOf(cases)
	}
	if s := of(0.2, 0.3, 0.25, 0.2); s.beside.low <= 0 {
		t.Errorf("always worse: %+v", s.beside)
	}
	if s := of(0.3, 0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1); s.beside.low >= 0 || s.beside.high <= 0 {
		t.Errorf("once worse and once better: %+v", s.beside)
	}
}
