package transfer

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func size(workers, batch int, seconds float64) Size {
	return Size{workers, batch, estimate.Exact(seconds, estimate.Measured)}
}

// What a worker does is measured against what it does among fewer.
func TestScalingEfficiency(t *testing.T) {
	one, four := size(1, 64, 1), size(4, 64, 0.4)
	if e := four.Efficiency(one); math.Abs(e.Value-0.625) > 1e-12 || e.Low != e.High {
		t.Errorf("four workers that are 2.5 times as fast as one: %+v", e)
	}
	if e := size(4, 256, 1.25).Efficiency(one); math.Abs(e.Value-0.8) > 1e-12 {
		t.Errorf("a step with four times the batch that takes 1.25 times as long: %+v", e)
	}
	noisy := four
	noisy.Step = estimate.Spread(0.4, 0.1, estimate.Measured)
	if e := noisy.Efficiency(one); !(e.Low < 0.625 && 0.625 < e.High) {
		t.Errorf("of a noisy time: %+v", e)
	}
}

// A parameter server whose part grows with the workers makes more of them slower in the
// end; a loss that stays small is no reason to fear that.
func TestTimeAtAWorldSize(t *testing.T) {
	server := func(n float64) float64 { return 1/n + 0.05*n }
	e := AtSize([]Size{size(2, 64, server(2)), size(4, 64, server(4))}, 8, 64)
	if truth := server(8); !(e.Low < truth && truth < e.High) || e.Value < 0.9*server(4) {
		t.Errorf("a parameter server on 8 workers takes %.3f s, said %+v", truth, e)
	}
	e = AtSize([]Size{size(1, 64, 1), size(2, 64, 0.53)}, 4, 64)
	if !(e.Value > 0.26 && e.Value < 0.34 && e.Low < 0.265 && e.High > 0.31) || e.Basis != estimate.Transferred {
		t.Errorf("6 %% lost by the first doubling: %+v", e)
	}
	if one := AtSize([]Size{size(2, 64, 1)}, 4, 64); one.Known() {
		t.Errorf("from one size: %+v", one)
	}
	if fewer := AtSize([]Size{size(2, 64, 1), size(4, 64, 0.6)}, 3, 64); fewer.Known() {
		t.Errorf("fewer workers than measured: %+v", fewer)
	}
}

// Whatever was measured, the interval holds the value, and is wider for more doublings.
func TestIntervalOfAWorldSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 64).Draw(t, "workers")
		known := []Size{
			size(n, 1024, rapid.Float64Range(1e-4, 1e3).Draw(t, "first")),
			size(n*rapid.IntRange(2, 8).Draw(t, "times"), rapid.SampledFrom([]int{1024, 2048, 8192}).Draw(t, "batch"),
				rapid.Float64Range(1e-4, 1e3).Draw(t, "second")),
		}
		width := 0.0
		for more := 2; more <= 32; more *= 2 {
			e := AtSize(known, known[1].Workers*more, 1024)
			if !(0 < e.Low && e.Low <= e.Value && e.Value <= e.High) || math.IsInf(e.High, 0) {
				t.Fatalf("%+v of %+v", e, known)
			}
			if w := math.Log(e.High / e.Low); w < width-1e-6 {
				t.Fatalf("%d times the workers narrow the interval from %.3f to %.3f, known %+v", more, width, w, known)
			} else {
				width = w
			}
		}
	})
}

// A VM type with more of a GPU than two others ran a network on is predicted from these.
func TestMoreOfTheSameGPU(t *testing.T) {
	set := &profile.Set{}
	for n, seconds := range map[int]float64{1: 1, 2: 0.53} {
		set.Runs = append(set.Runs, profile.Run{Model: "m", Mode: profile.Train, Cloud: "c",
			InstanceType: string(rune('0' + n)), GPU: "V100", GPUCount: n, Count: 1, BatchSize: 64,
			Steady: estimate.Exact(seconds, estimate.Measured), Basis: estimate.Measured})
	}
	vm := profile.VMType{Cloud: "c", InstanceType: "4", GPU: "V100", GPUCount: 4}
	set.VMTypes = []profile.VMType{vm}
	e, why := New(set, profile.Train).Iteration("m", profile.Variant{}, vm, 4, 64)
	if want := AtSize([]Size{size(1, 64, 1), size(2, 64, 0.53)}, 4, 64); math.Abs(e.Value/want.Value-1) > 0.02 ||
		why != "from 2 world sizes of the same GPU" {
		t.Errorf("%+v, want %+v; %s", e, want, why)
	}
}
