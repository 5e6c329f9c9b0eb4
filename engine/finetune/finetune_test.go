package finetune_test

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/finetune"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

// small has 100 million parameters in the matrices of 10 layers, a million in an embedding that is
// the output matrix too, and 21,000 in norms: 101,021,000.
var small = transformer.Architecture{Name: "small", Layers: 10, Hidden: 1000, Heads: 10, KVHeads: 10, HeadSize: 100,
	Intermediate: 2000, Vocabulary: 1000, Tied: true, NormsOfLayer: 2}

// trainings used the shares of the A100's and the H100's peaks that are told; others are left out.
func trainings() *profile.Set {
	gpu := func(name, architecture string, tflops float64) profile.GPUSpec {
		return profile.GPUSpec{Name: name, Architecture: architecture, FP32TFLOPS: new(10.0), FP16TFLOPS: &tflops,
			BandwidthGBs: new(2000.0), MemoryGB: new(80.0)}
	}
	row := func(gpu, stack string, method transformer.Method, microBatch int, ofPeak float64) profile.Throughput {
		way := transformer.DefaultTuning(method)
		way.Sequence = 1024
		return profile.Throughput{Model: "small", Tuning: way, MicroBatch: microBatch, GPU: gpu, GPUs: 1, OfPeak: &ofPeak,
			Stack: stack}
	}
	return &profile.Set{
		Architectures: []transformer.Architecture{small},
		GPUs: []profile.GPUSpec{gpu("A100-SXM4-80GB", "Ampere", 300), gpu("H100-SXM5-80GB", "Hopper", 1000),
			gpu("L4", "Ada", 120), gpu("P100-PCIE-16GB", "Pascal", 20)},
		Throughputs: []profile.Throughput{
			row("A100-SXM4-80GB", finetune.Plain, transformer.LoRA, 4, 0.3),
			row("A100-SXM4-80GB", finetune.Plain, transformer.LoRA, 4, 0.32), // the median
			row("A100-SXM4-80GB", finetune.Plain, transformer.LoRA, 4, 0.45),
			row("A100-SXM4-80GB", "tuned", transformer.Full, 4, 0.5),
			row("H100-SXM5-80GB", "tuned", transformer.Full, 4, 0.32),
			row("H100-SXM5-80GB", "tuned", transformer.Full, 1, 0.01),  // too few tokens at once
			row("H100-SXM5-80GB", "tuned", transformer.QLoRA, 4, 0.01), // which turns 4 bits into 16 besides
			row("P100-PCIE-16GB", "tuned", transformer.Full, 4, 0.9),   // has no tensor cores
		},
	}
}

// Where a stack that is tuned for a model reached 0.5 of a GPU's peak, the plain one reached 0.32. So
// much less is taken of the tuned one on the H100, where nothing else is known: 0.2048. A GPU without
// figures gets the geometric mean of both others: 0.256.
func TestShare(t *testing.T) {
	speeds := finetune.NewSpeeds(trainings())
	for _, c := range []struct {
		gpu   string
		share float64
		basis estimate.Basis
		why   string
	}{
		{"NVIDIA A100 80GB PCIe", 0.32, estimate.Transferred,
			"published trainings of small, small on the same GPU (transformers, tuned)"},
		{"H100-SXM5-80GB", 0.2048, estimate.Transferred, "published trainings of small on the same GPU (tuned)"},
		{"L4", 0.256, estimate.Spec, "the GPU's published figures, and what 2 other kinds of GPU reached of theirs"},
	} {
		got, why := speeds.Share(c.gpu)
		if math.Abs(got.Value-c.share) > 1e-9 || got.Basis != c.basis || why != c.why ||
			!(got.Low < got.Value && got.Value < got.High && got.High <= 1) {
			t.Errorf("%s: %+v, %q", c.gpu, got, why)
		}
	}
	near, _ := speeds.Share("H100-SXM5-80GB")
	if far, _ := speeds.Share("L4"); far.High/far.Low <= near.High/near.Low {
		t.Errorf("another GPU's figures tell more than its own: %+v, %+v", far, near)
	}
	if none, why := finetune.NewSpeeds(&profile.Set{}).Share("L4"); none.Known() || why != "" {
		t.Errorf("of no figures: %+v, %q", none, why)
	}
}

// A step is added up by hand, of an A100 that reaches 0.32 of its 300 TFLOPS, and reads 2 TB a
// second. Between eight of them go 300 GB/s, of which 0.6 are usual.
func TestStep(t *testing.T) {
	const (
		params  = 101_021_000.0
		adapted = 10 * 16 * (4*2000 + 3*3000) // LoRA of rank 16 beside all matrices of ten layers
		between = 300e9 * 0.6 / (7. / 8)      // of eight GPUs, seven eighths of the bytes go
		flops   = 300e12 * 0.32
	)
	attention := 2.0 * 10 * 1000 * 1024 // of a token in 1,024
	full := 6*101e6 + 3*attention
	for name, c := range map[string]struct {
		method       transformer.Method
		sharding     transformer.Sharding
		again        transformer.Checkpointing
		gpus         int
		batch, times int
		seconds      float64
	}{
		"few tokens: 4.5 ms a layer": {transformer.Full, transformer.None, transformer.Never, 1, 1, 1,
			10*4.5e-3 + 28*params/2e12},
		"many tokens": {transformer.Full, transformer.None, transformer.Never, 1, 64, 3,
			3*64*1024*full/flops + 28*params/2e12},
		"forward again": {transformer.Full, transformer.None, transformer.Always, 1, 64, 1,
			64*1024*(full+2*100e6+attention)/flops + 28*params/2e12},
		"LoRA": {transformer.LoRA, transformer.None, transformer.Never, 1, 64, 1,
			64*1024*(4*101e6+3*attention+6*adapted)/flops + 28*adapted/2e12},
		"QLoRA, of which 4 times reading 2.5 bytes, twice": {transformer.QLoRA, transformer.None, transformer.Never, 1, 64, 1,
			64*1024*(4*101e6+3*attention+6*adapted)/flops + 4*2*2.5*100e6/2e12 + 28*adapted/2e12},
		"gradients of 4 bytes summed over eight": {transformer.Full, transformer.None, transformer.Never, 8, 64, 1,
			64*1024*full/flops + 2*4*params/between + 28*params/2e12},
		"weights of 2 bytes sharded over eight, beside the computing": {transformer.Full, transformer.Zero3,
			transformer.Never, 8, 64, 1, 64*1024*full/flops + 28*params/8/2e12},
	} {
		way := transformer.DefaultTuning(c.method)
		way.Sequence, way.Sharding, way.Checkpointing = 1024, c.sharding, c.again
		j := memory.Job{Architecture: small, Tuning: way, GPUs: c.gpus, MicroBatch: c.batch}
		step, why := finetune.NewSpeeds(trainings()).Step(j, c.times, "A100-SXM4-80GB")
		if math.Abs(step.Value/c.seconds-1) > 1e-9 || !(step.Low < step.Value && step.Value < step.High) ||
			step.Basis != estimate.Transferred || why == "" {
			t.Errorf("%s: %+v, want %g", name, step, c.seconds)
		}
	}
}

// Data sheets print NVLink's speed both ways: 600 GB/s of an A100, 900 of an H100. One with PCIe has
// that of its generation.
func TestLinks(t *testing.T) {
	for _, c := range []struct {
		gpu, architecture string
		gbs               float64
	}{
		{"A100-SXM4-80GB", "Ampere", 300}, {"H100-SXM5-80GB", "Hopper", 450}, {"H100-PCIE-80GB", "Hopper", 64},
		{"V100-SXM2-16GB", "Volta", 150}, {"T4", "Turing", 16}, {"L4", "Ada", 32}, {"unknown", "", 16},
	} {
		if got := finetune.LinkGBs(profile.GPUSpec{Name: c.gpu, Architecture: c.architecture}); got != c.gbs {
			t.Errorf("%s: %g GB/s", c.gpu, got)
		}
	}
}
