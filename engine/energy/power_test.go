package energy

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

func powered(model, gpu string, batch int, watts float64) profile.Run {
	return profile.Run{Model: model, Mode: profile.Train, GPU: gpu, GPUCount: 1, Count: 1, BatchSize: batch,
		AveragePowerW: &watts, EnergyOf: profile.EnergyOfGPUs, Status: profile.Done}
}

var twoGPUs = []profile.GPUSpec{{Name: "T4", TDPWatts: new(70.0)}, {Name: "A100", TDPWatts: new(400.0)}, {Name: "K80"}}

func ask(set *profile.Set, gpu string, gpus, batch int) (estimate.Estimate, string) {
	return NewPowers(set, profile.Train).Of(transfer.SubjectOf("net", profile.Variant{}), gpu, gpus, batch, profile.Train)
}

// Power lies between those at the batch sizes around, and stays beyond them; the further
// away, the less is known. Several GPUs share a batch.
func TestPowerAtOtherBatches(t *testing.T) {
	set := &profile.Set{GPUs: twoGPUs,
		Runs: []profile.Run{powered("net", "A100", 8, 50), powered("net", "A100", 128, 200)}}
	for _, c := range []struct {
		batch, gpus int
		want        float64
	}{{8, 1, 50}, {32, 1, 100}, {128, 1, 200}, {1024, 1, 200}, {64, 2, 200}} {
		e, why := ask(set, "A100", c.gpus, c.batch)
		if math.Abs(e.Value-c.want) > 1e-6 || !(e.Low < e.Value && e.Value < e.High) || e.Basis != estimate.OtherBatch {
			t.Errorf("batch %d on %d GPUs: %+v, want %g W: %s", c.batch, c.gpus, e, c.want, why)
		}
	}
	near, _ := ask(set, "A100", 1, 256)
	far, _ := ask(set, "A100", 1, 1024)
	if !(far.Low < near.Low) {
		t.Errorf("%+v at 256, %+v at 1024", near, far)
	}
}

// On another GPU the design powers tell, and with many models those that ran on both. None
// draws more than it is designed for.
func TestPowerOnAnotherGPU(t *testing.T) {
	set := &profile.Set{GPUs: twoGPUs, Runs: []profile.Run{powered("net", "A100", 8, 200)}}
	plain, why := ask(set, "T4", 1, 8)
	if math.Abs(plain.Value-35) > 1e-9 || plain.Basis != estimate.Spec || !strings.Contains(why, "design powers") {
		t.Errorf("%+v: %s", plain, why)
	}
	for _, gpu := range []string{"K80", "V100"} {
		if e, _ := ask(set, gpu, 1, 8); e.Known() {
			t.Errorf("%+v on a %s, of which nothing is known", e, gpu)
		}
	}
	for k := range 20 {
		other := fmt.Sprint("other ", k)
		set.Runs = append(set.Runs, powered(other, "A100", 8, 200), powered(other, "T4", 8, 60))
	}
	learnt, _ := ask(set, "T4", 1, 8)
	if !(learnt.Value > 50 && learnt.Value < 60) || learnt.Basis != estimate.Transferred {
		t.Errorf("%+v, twenty others take 60 W", learnt)
	}
	rapid.Check(t, func(t *rapid.T) {
		set := &profile.Set{GPUs: twoGPUs, Runs: []profile.Run{
			powered("net", "A100", rapid.IntRange(1, 4096).Draw(t, "batch"), rapid.Float64Range(1, 500).Draw(t, "watts"))}}
		n := rapid.IntRange(1, 8).Draw(t, "GPUs")
		e, _ := ask(set, "T4", n, rapid.IntRange(1, 1<<20).Draw(t, "asked"))
		if e.Value > 70*float64(n) || !(0 < e.Low && e.Low < e.Value && e.Value < e.High) {
			t.Fatalf("%+v on %d T4 of 70 W", e, n)
		}
	})
}

// A GPU that gains more speed than its peak tells is busier, and draws more of what it is
// designed for, up to all of it; an idle one draws the same share.
func TestPowerOfABusierGPU(t *testing.T) {
	const slow, fast = "slow", "fast"
	set := &profile.Set{GPUs: []profile.GPUSpec{
		{Name: slow, TDPWatts: new(100.0), FP32TFLOPS: new(10.0)}, {Name: fast, TDPWatts: new(200.0), FP32TFLOPS: new(20.0)}}}
	timed := func(gpu string, seconds float64) profile.Run {
		r := powered("other", gpu, 8, 50)
		r.Steady = estimate.Exact(seconds, estimate.Measured)
		return r
	}
	for _, c := range []struct{ quicker, watts, want float64 }{
		{2, 60, 120}, {4.5, 40, 110}, {4.5, 80, 200}, {0.5, 40, 50}, {4.5, 10, 20}, {4.5, 4, 8},
	} {
		set.Runs = []profile.Run{powered("net", slow, 8, c.watts), timed(slow, c.quicker), timed(fast, 1)}
		e, why := ask(set, fast, 1, 8)
		if math.Abs(e.Value-c.want) > 1e-9 || !strings.Contains(why, "the times of 1 other model") {
			t.Errorf("%g W where the other GPU is %g times as fast: %g W, want %g: %s", c.watts, c.quicker, e.Value, c.want,
				why)
		}
		back, _ := ask(&profile.Set{GPUs: set.GPUs, Runs: append(set.Runs[1:], powered("net", fast, 8, e.Value))}, slow, 1, 8)
		if e.Value < 199 && math.Abs(back.Value-c.watts) > 1e-9 {
			t.Errorf("%g W and back is %g W", c.watts, back.Value)
		}
	}
}

// Times tell how busy a GPU is beside its peak at the precision that they were taken at, and those of an
// epoch are of as many GPUs as shared it: neither half precision nor a second GPU makes one busier.
func TestPowerBesideOtherPrecisionsAndGPUs(t *testing.T) {
	const slow, fast = "slow", "fast"
	set := &profile.Set{GPUs: []profile.GPUSpec{
		{Name: slow, TDPWatts: new(100.0), FP32TFLOPS: new(10.0), FP16TFLOPS: new(10.0)},
		{Name: fast, TDPWatts: new(200.0), FP32TFLOPS: new(20.0), FP16TFLOPS: new(80.0)}}}
	other := func(gpu, precision string, seconds float64) profile.Run {
		r := powered("other", gpu, 8, 50)
		r.Variant.Precision, r.Steady = precision, estimate.Exact(seconds, estimate.Measured)
		return r
	}
	epoch := func(gpu string, gpus int, seconds float64) profile.Run {
		r := powered("other", gpu, 8*gpus, 50*float64(gpus))
		r.GPUCount, r.TotalS, r.Epochs = gpus, &seconds, new(1.0)
		return r
	}
	for name, runs := range map[string][]profile.Run{
		"half precision": {other(slow, "fp16", 8), other(fast, "fp16", 1)},
		"four GPUs":      {epoch(slow, 1, 8), epoch(fast, 4, 1)},
	} {
		set.Runs = append([]profile.Run{powered("net", slow, 8, 50)}, runs...)
		if e, why := ask(set, fast, 1, 8); math.Abs(e.Value-100) > 1e-9 || !strings.Contains(why, "the times of 1 other") {
			t.Errorf("%s: %g W, want 100: %s", name, e.Value, why)
		}
	}
}

// What is no GPU's, under a lowered limit or of nothing, says nothing.
func TestNoPower(t *testing.T) {
	limited, cpu := powered("net", "A100", 8, 100), powered("net", "A100", 8, 100)
	limited.PowerLimitW, cpu.EnergyOf = new(150.0), profile.EnergyOfCPUs
	if p := NewPowers(&profile.Set{Runs: []profile.Run{limited, cpu}}, profile.Train); p != nil {
		t.Errorf("%+v", p)
	}
	if e, _ := (*Powers)(nil).Of(transfer.Subject{}, "A100", 1, 8, profile.Train); e.Known() {
		t.Errorf("%+v of nothing", e)
	}
}
