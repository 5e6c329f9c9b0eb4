package main

import (
	"math"
	"strings"
	"testing"

	"sweetspot/data/library"
	"sweetspot/engine/estimate"
)

// The rates of MLPerf's rounds in the built-in library are those of its logs.
func TestThroughputsOfMLPerf(t *testing.T) {
	const sequence = 8192           // tokens of a sample
	rates := map[string][]float64{} // samples a second
	for _, r := range loraRuns(t) {
		rates[r.Name()] = append(rates[r.Name()], 1/perSample(r))
	}
	set, err := library.Load()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, x := range set.Throughputs {
		if x.Stack != "MLPerf" {
			continue
		}
		source := strings.Fields(x.Source) // mlcommons/training_results_v4.1: Dell XE9680x8H100-SXM-80GB …
		_, round, _ := strings.Cut(strings.TrimSuffix(source[0], ":"), "training_results_")
		of := rates[round+" "+source[1]+" "+source[2]]
		if len(of) == 0 {
			t.Errorf("no runs of %s", x.Source)
			continue
		}
		n++
		if want := sequence * estimate.Median(of); math.Abs(x.TokensPerS/want-1) > 0.005 {
			t.Errorf("%s: %g tokens/s, and the logs say %g", x.Source, x.TokensPerS, want)
		}
	}
	if n < 12 {
		t.Errorf("%d figures of MLPerf", n)
	}
}
