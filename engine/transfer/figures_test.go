package transfer

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/profile"
)

// gpusOf are some GPUs whose strengths grow, with figures that tell as much.
func gpusOf(strengths ...float64) *profile.Set {
	set := &profile.Set{}
	for i, s := range strengths {
		set.GPUs = append(set.GPUs,
			profile.GPUSpec{Name: fmt.Sprint("gpu", i), FP32TFLOPS: new(s), BandwidthGBs: new(50 * s)})
	}
	return set
}

// A part that stays is seen on the GPUs that were run on, and where nothing stays times
// follow the figures.
func TestFiguresSplitTheTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		strengths := []float64{4, 6, 12, rapid.Float64Range(3, 25).Draw(t, "asked")}
		set := gpusOf(strengths...)
		stays, falls := rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(t, "stays"), 0.1
		seconds := func(gpu int) float64 { return math.Hypot(stays, falls*6/strengths[gpu]) }
		for gpu := range 3 {
			set.Runs = append(set.Runs, step("net", fmt.Sprint("gpu", gpu), 64, seconds(gpu)))
		}
		e, why := ask(set, "net", "gpu3", 64)
		if truth := seconds(3); !near2(e.Value, truth, 0.2) || e.Low > truth || e.High < truth {
			t.Fatalf("%+v, want %g: %s", e, truth, why)
		}
		plain := seconds(2) * strengths[2] / strengths[3]
		if stays > 0.05 && math.Abs(math.Log(strengths[3]/12)) > 0.5 &&
			math.Abs(math.Log(e.Value/seconds(3))) > math.Abs(math.Log(plain/seconds(3))) {
			t.Fatalf("%g s by the ratio of peaks, %g s here, truly %g", plain, e.Value, seconds(3))
		}
	})
}

// Where times follow the memory on the GPUs that were run on, they do on another.
func TestFiguresLearnTheLaw(t *testing.T) {
	compute, bandwidth := []float64{4, 8, 8, 16, 16}, []float64{100, 400, 100, 400, 1600}
	set := gpusOf(compute...)
	var learnt profile.Set
	for i := range set.GPUs {
		set.GPUs[i].BandwidthGBs = &bandwidth[i]
	}
	learnt.GPUs = set.GPUs
	seconds := func(gpu int) float64 { return 40 / math.Sqrt(compute[gpu]*bandwidth[gpu]) }
	for gpu := range 4 {
		learnt.Runs = append(learnt.Runs, step("net", fmt.Sprint("gpu", gpu), 64, seconds(gpu)))
	}
	set.Runs = learnt.Runs[3:]
	one, _ := ask(set, "net", "gpu4", 64)
	all, _ := ask(&learnt, "net", "gpu4", 64)
	truth := seconds(4)
	if !near2(all.Value, truth, 0.1) || near2(one.Value, truth, 0.15) || all.HalfWidth() > one.HalfWidth() {
		t.Errorf("%+v from four GPUs, %+v from one, truly %g", all, one, truth)
	}
}

// A figure that is not known of some GPU leaves the laws that need no such figure.
func TestFiguresUnknown(t *testing.T) {
	set := gpusOf(4, 8, 16)
	set.GPUs[0].BandwidthGBs = nil
	set.Runs = []profile.Run{step("net", "gpu0", 64, 0.4), step("net", "gpu1", 64, 0.2)}
	if e, _ := ask(set, "net", "gpu2", 64); !near2(e.Value, 0.1, 0.05) {
		t.Errorf("%+v, want 0.1", e)
	}
	set.GPUs[2].FP32TFLOPS = nil
	if e, why := ask(set, "net", "gpu2", 64); e.Known() {
		t.Errorf("%+v without a figure: %s", e, why)
	}
}
