package transfer

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// What models do between two GPUs says nothing of one that a compiler made kernels for, nor
// of one in another precision, and the other way round.
func TestOtherKernelsAndPrecisionsSayNothing(t *testing.T) {
	compiled := func(r profile.Run) profile.Run { r.Packages = []string{"numpy==1.26.4", "tensorrt==8.6.0"}; return r }
	precise := func(p string) func(profile.Run) profile.Run {
		return func(r profile.Run) profile.Run { r.Variant.Precision = p; return r }
	}
	each := func(runs []profile.Run, change func(profile.Run) profile.Run) (out []profile.Run) {
		for _, r := range runs {
			out = append(out, change(r))
		}
		return out
	}
	same := func(r profile.Run) profile.Run { return r }
	specs := []profile.GPUSpec{
		{Name: "slow GPU", FP32TFLOPS: new(5.0), FP16TFLOPS: new(10.0), BandwidthGBs: new(300.0)},
		{Name: "fast GPU", FP32TFLOPS: new(10.0), FP16TFLOPS: new(20.0), BandwidthGBs: new(600.0)},
	}
	for _, c := range []struct {
		name        string
		others, own func(profile.Run) profile.Run
		told        bool
	}{
		{"one runtime", same, same, true},
		{"compiled both", compiled, compiled, true},
		{"compiled", same, compiled, false},
		{"compiled others", compiled, same, false},
		{"one precision", precise("fp16"), precise("fp16"), true},
		{"another precision", precise("fp32"), precise("fp16"), false},
		{"a precision that is not known", same, precise("fp16"), true},
	} {
		set := &profile.Set{GPUs: specs, Runs: each(models(8).Runs, c.others)}
		own := c.own(step("new", "slow", 64, 0.2))
		set.Runs = append(set.Runs, own)
		e, why := New(set, profile.Train).Iteration("new", own.Variant, vmType("fast"), 1, 64)
		if told := strings.Contains(why, "other models"); told != c.told || !e.Known() ||
			(e.Basis == estimate.Transferred) != c.told {
			t.Errorf("%s: %+v (%s)", c.name, e, why)
		}
	}
}

// Of a model that others published at one batch size on each GPU, the GPUs at the batch
// size asked about tell a time, not those at another.
func TestFiguresAtTheBatchSizeComeFirst(t *testing.T) {
	set := &profile.Set{}
	for name, strength := range map[string]float64{"a": 1, "b": 2, "c": 4} {
		set.GPUs = append(set.GPUs, profile.GPUSpec{Name: name + " GPU", FP32TFLOPS: new(strength)})
	}
	set.Runs = []profile.Run{step("new", "a", 256, 8), step("new", "b", 32, 0.5)}
	for batch, want := range map[int]float64{256: 2, 32: 0.25, 64: 0} { // or more, of which a part stays
		e, why := ask(set, "new", "c", batch)
		if want == 0 { // between them both tell
			want = math.Sqrt(8 / 4 * math.Sqrt(64./256) * 0.5 / 2 * math.Sqrt(64./32))
		}
		if e.Value < want || e.Value > 1.25*want || e.Basis != estimate.Spec {
			t.Errorf("batch %d: %+v, want %g (%s)", batch, e, want, why)
		}
	}
}
