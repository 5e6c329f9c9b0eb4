package roofline

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/profile"
)

// board is a GPU of a generation: TFLOPS at the highest clock, watts, and the clocks.
func board(architecture string, tflops, watts, base, boost float64) profile.GPUSpec {
	return profile.GPUSpec{Architecture: architecture, FP32TFLOPS: &tflops, TDPWatts: &watts, BaseMHz: &base,
		BoostMHz: &boost}
}

// By hand: the others do 0.04 and 0.05 TFLOPS per watt at their base clocks. Of 100 W that
// is 4 TFLOPS, two thirds of the peak.
func TestABaseClockFarBelowWhatPowerAllows(t *testing.T) {
	gpus := []profile.GPUSpec{board("a", 6, 100, 300, 1200), board("a", 8, 150, 750, 1000), board("a", 10, 160, 800, 1000),
		board("b", 6, 100, 300, 1200)}
	kept := SustainedClocks(gpus)
	for i, want := range []float64{800, 750, 800, 300} {
		if math.Abs(*kept[i].BaseMHz-want) > 1e-9 {
			t.Errorf("%d: %g MHz, want %g", i, *kept[i].BaseMHz, want)
		}
	}
	if *gpus[0].BaseMHz != 300 {
		t.Errorf("the given GPU has %g MHz now", *gpus[0].BaseMHz)
	}
	// One other board may be the odd one, and lanes that do integers too are others.
	half := 4.0
	for _, others := range [][]profile.GPUSpec{gpus[:2], {gpus[0], gpus[1], func() profile.GPUSpec {
		g := gpus[2]
		g.OwnFP32TFLOPS = &half
		return g
	}()}} {
		if kept := SustainedClocks(others); *kept[0].BaseMHz != 300 {
			t.Errorf("%g MHz beside one board", *kept[0].BaseMHz)
		}
	}
}

// Clocks only rise, at most to the highest one, and of each kind at most one board's.
func TestSustainedClocksRiseALittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var gpus []profile.GPUSpec
		for range rapid.IntRange(0, 8).Draw(t, "boards") {
			boost := rapid.Float64Range(500, 3000).Draw(t, "boost")
			g := board(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "architecture"),
				rapid.Float64Range(1, 100).Draw(t, "TFLOPS"), rapid.Float64Range(30, 1000).Draw(t, "watts"),
				boost*rapid.Float64Range(0.2, 1.1).Draw(t, "share"), boost)
			if rapid.Bool().Draw(t, "unknown") {
				g.TDPWatts = nil
			}
			gpus = append(gpus, g)
		}
		raised := map[string]int{}
		for i, g := range SustainedClocks(gpus) {
			was := gpus[i]
			if *g.BaseMHz < *was.BaseMHz || *g.BaseMHz > math.Max(*was.BaseMHz, *was.BoostMHz) {
				t.Fatalf("%g MHz of %g to %g", *g.BaseMHz, *was.BaseMHz, *was.BoostMHz)
			}
			if *g.BaseMHz > *was.BaseMHz {
				raised[g.Architecture]++
			}
		}
		if raised[""] > 0 || raised["a"] > 1 || raised["b"] > 1 {
			t.Fatalf("raised: %v", raised)
		}
	})
}
