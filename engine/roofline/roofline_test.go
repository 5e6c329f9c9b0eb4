package roofline

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

var v100 = profile.GPUSpec{Name: "V100", FP32TFLOPS: new(15.7), FP16TFLOPS: new(125.0), BandwidthGBs: new(900.0)}

func resnet50(batch float64) Job {
	return Job{Work: profile.Work{FLOPs: new(8.2e9), Activations: new(11.1e6), Params: new(25.6e6), Layers: new(54.0)},
		Mode: profile.Train, Batch: batch}
}

// Zeus' ResNet-50 takes 0.36 s at batch 128 on a V100 (3604 s for 10,010 iterations),
// Malta's tables aside: what was measured lies in the interval.
func TestResNet50OnV100(t *testing.T) {
	e, common := Fitted().Estimate(resnet50(128), v100)
	if e.Basis != estimate.Spec || e.Low > 0.36 || e.High < 0.36 || e.High > 8*e.Low || !(common > 0) ||
		common >= e.LogSigma() {
		t.Errorf("%+v, %g in common", e, common)
	}
	half := resnet50(128)
	half.Precision = "fp16"
	if fast, _ := Fitted().Estimate(half, v100); fast.Value > 0.7*e.Value {
		t.Errorf("%g s in half precision, %g s in full", fast.Value, e.Value)
	}
}

// What is not known is answered by nothing, or widens the interval.
func TestUnknownWork(t *testing.T) {
	none := resnet50(32)
	none.FLOPs = nil
	if e, _ := Fitted().Estimate(none, v100); e.Known() {
		t.Errorf("without operations %+v", e)
	}
	if e, _ := Fitted().Estimate(resnet50(32), profile.GPUSpec{FP32TFLOPS: new(10.0)}); e.Known() {
		t.Errorf("without a bandwidth %+v", e)
	}
	known, _ := Fitted().Estimate(resnet50(32), v100)
	bare := resnet50(32)
	bare.Activations, bare.Layers = nil, nil
	if e, _ := Fitted().Estimate(bare, v100); e.High/e.Low < 1.5*known.High/known.Low {
		t.Errorf("%+v with all known, %+v without activations and layers", known, e)
	}
}

// More work takes longer, and a GPU that is better in all never takes longer.
func TestMonotonous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Float64Range(1e3, 1e12)
		j := Job{Mode: rapid.SampledFrom([]profile.Mode{profile.Train, profile.Infer}).Draw(t, "mode"),
			Precision: rapid.SampledFrom([]string{"", "fp32", "tf32", "fp16", "int8"}).Draw(t, "precision"),
			Batch:     rapid.Float64Range(1, 4096).Draw(t, "batch")}
		j.FLOPs, j.Activations = new(amount.Draw(t, "operations")), new(amount.Draw(t, "activations"))
		e, _ := Fitted().Estimate(j, v100)
		if !(e.Low < e.Value && e.Value < e.High) {
			t.Fatalf("%+v", e)
		}
		more, better := j, v100
		more.Batch *= 2
		better.BandwidthGBs, better.FP32TFLOPS = new(1800.0), new(31.4)
		twice, _ := Fitted().Estimate(more, v100)
		faster, _ := Fitted().Estimate(j, better)
		if !(twice.Value > e.Value && twice.Value <= 2*e.Value) || faster.Value > e.Value {
			t.Fatalf("%g s; %g s for twice the batch, %g s on a better GPU", e.Value, twice.Value, faster.Value)
		}
	})
}

// The fit finds constants again from the times that they give.
func TestFitFindsConstants(t *testing.T) {
	want := Constants{1e-3, 2e-4, Part{1.5, 8}, Part{2, 5}, 3}
	var points []Point
	for _, precision := range []string{"fp32", "fp16"} {
		for _, batch := range []float64{1, 8, 64, 512} {
			for k := range 12 {
				j := resnet50(batch)
				j.Precision = precision
				j.FLOPs, j.Activations = new(math.Pow(10, 7+float64(k%4))), new(math.Pow(10, 5+float64(k%3)))
				j.Params, j.Layers = new(math.Pow(10, 5+float64(k%5))), new(float64(1+10*(k%6)))
				s, _, _ := want.Seconds(j, v100)
				points = append(points, Point{j, v100, s, 1})
			}
		}
	}
	got := Fit(points, Fitted())
	for _, x := range points {
		if s, _, _ := got.Seconds(x.Job, x.GPU); math.Abs(s/x.Seconds-1) > 0.03 {
			t.Fatalf("%+v, want %+v: %g s for %g s", got, want, s, x.Seconds)
		}
	}
}

// What a GPU keeps up is below its peak: a T4 of 70 W is furthest from it, and Kepler and
// Pascal do integers in the same lanes, but for tensor cores.
func TestSustained(t *testing.T) {
	of := func(architecture string, base, boost float64, precision string) float64 {
		g := profile.GPUSpec{FP32TFLOPS: new(10.0), FP16TFLOPS: new(80.0), Architecture: architecture}
		if base > 0 {
			g.BaseMHz, g.BoostMHz = &base, &boost
		}
		kept, _ := Sustained(g, precision)
		return *kept
	}
	for _, c := range []struct{ got, want float64 }{
		{of("Turing", 585, 1590, "fp32"), 6.07},
		{of("Pascal", 1000, 1000, "fp32"), 7.35},
		{of("Kepler", 0, 0, ""), 4.90},
		{of("Kepler", 0, 0, "fp16"), 80},
		{of("", 0, 0, "fp32"), 10},
	} {
		if math.Abs(c.got-c.want) > 0.01 {
			t.Errorf("%g, want %g", c.got, c.want)
		}
	}
	if kept, _ := Sustained(profile.GPUSpec{}, "fp32"); kept != nil {
		t.Errorf("%g of an unknown peak", *kept)
	}
}
