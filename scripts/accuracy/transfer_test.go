package main

import (
	"fmt"
	"hash/crc32"
	"math"
	"testing"
)

// Iteration times of PROFET's networks that were not measured. The plain
// figures say that the cases are the ones the bars were set on.
func TestIterationsOfPROFET(t *testing.T) {
	set := published(t, "profet")
	for _, c := range []struct {
		question     string
		n            int
		plain        float64
		median, mean float64
	}{
		{"batch", 1072, 0.0378, math.Inf(1), 0.032},
		{"vm-probe", 1608, 0.0930, 0.05, 0.08},
		{"vm", 688, 0.1508, 0.075, 0.11},
		{"vm-one", 2064, 0.1928, 0.085, 0.15},
		// The same with less known: better than the baseline, beyond that
		// what was reached.
		{"batch-new", 1072, 0.0378, math.Inf(1), 0.0335},
		{"vm-spec", 688, 0.2696, 0.10, 0.14},
	} {
		t.Run(c.question, func(t *testing.T) {
			s := ask(t, c.question, set)
			if s.N != c.n || s.Unanswered != 0 || math.Abs(s.Plain-c.plain) > 5e-5 {
				t.Errorf("%d cases, %d without an answer, baseline %.4f", s.N, s.Unanswered, s.Plain)
			}
			if s.Median > c.median || s.Mean > c.mean {
				t.Errorf("median %.4f, mean %.4f", s.Median, s.Mean)
			}
			if c.question != "vm-spec" { // four GPUs do not tell 85 from 100 %
				sure(t, s)
			} else if s.Coverage < 0.85 {
				t.Errorf("%.1f %% of the true values lie in the 90 %% intervals", 100*s.Coverage)
			}
		})
	}
}

// The same where every name is another, and of a set nothing is known but what
// its files say.
func TestNamesDoNotMatter(t *testing.T) {
	set := published(t, "zeus")
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.TrainSize != nil || r.IterationsPerEpoch != nil {
			t.Fatalf("the trace says nothing of the size of a training set: %+v", r)
		}
		for _, name := range []*string{&r.Model, &r.Dataset, &r.Variant.Name} {
			*name = fmt.Sprintf("z%x", crc32.ChecksumIEEE([]byte(*name)))
		}
	}
	for _, c := range []struct {
		question     string
		median, mean float64
	}{{"batch-three", 0.04, 0.06}, {"epochs", 0.09, 0.15}} {
		if s := ask(t, c.question, set); s.Median > c.median || s.Mean > c.mean {
			t.Errorf("%s: median %.4f, mean %.4f", c.question, s.Median, s.Mean)
		} else {
			sure(t, s)
		}
	}
}

// Epoch times of Zeus at batch sizes between the smallest, the middle and the
// largest.
func TestEpochsOfZeus(t *testing.T) {
	s := ask(t, "batch-three", published(t, "zeus"))
	if s.N != 47 || s.Unanswered != 0 || s.Median > 0.04 || s.Mean > 0.06 || s.Mean > s.Plain {
		t.Errorf("%d cases, %d without an answer: median %.4f, mean %.4f, baseline %.4f", s.N, s.Unanswered, s.Median,
			s.Mean, s.Plain)
	}
	sure(t, s)
}
