package generation_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/generation"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

var (
	llama = transformer.Architecture{Name: "llama", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadSize: 128,
		Intermediate: 14336, Vocabulary: 128256, NormsOfLayer: 2}
	a100 = profile.GPUSpec{Name: "A100-SXM4-40GB", FP16TFLOPS: new(312.0), BandwidthGBs: new(1555.0), MemoryGB: new(40.0),
		Architecture: "Ampere"}
)

func ExampleBatch_Memory() {
	b := generation.Batch{Architecture: llama, Weights: generation.Half, GPUs: 1, Sequences: 64, Input: 512, Output: 512}
	for _, p := range b.Memory().Parts[:2] {
		fmt.Printf("%s %.1f GiB\n", p.Name, p.Value/memory.GiB)
	}
	// Output:
	// weights 15.0 GiB
	// KV cache 8.0 GiB
}

// More of anything takes longer and needs more, and a request takes less among others than alone, but for
// weights that several unpack.
func TestBatchIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.IntRange(1, 4096)
		b := generation.Batch{Architecture: llama, Weights: rapid.SampledFrom(generation.AllWeights).Draw(t, "weights"),
			GPUs: rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "GPUs"), Sequences: rapid.IntRange(1, 256).Draw(t, "sequences"),
			Input: tokens.Draw(t, "input"), Output: tokens.Draw(t, "output")}
		more := b
		switch rapid.IntRange(0, 2).Draw(t, "more of") {
		case 0:
			more.Sequences += rapid.IntRange(1, 256).Draw(t, "sequences more")
		case 1:
			more.Input += tokens.Draw(t, "input more")
		default:
			more.Output += tokens.Draw(t, "output more")
		}
		s, ok := b.Plain(a100)
		longer, _ := more.Plain(a100)
		if !ok || !(s > 0) || !(longer > s) || longer/float64(more.Sequences) > s && more.Sequences > b.Sequences &&
			(!b.Weights.Unpacked || b.Sequences > 1) {
			t.Fatalf("%g s, and %g s of more", s, longer)
		}
		n, m := b.Memory().Total, more.Memory().Total
		if !(n.Low <= n.Value && n.Value <= n.High && n.Value < m.Value) {
			t.Fatalf("%+v, and of more %+v", n, m)
		}
	})
}

// Fewer bytes of weights are written faster, but where they are unpacked, and 8 bits are for GPUs that compute
// in them.
func TestWeights(t *testing.T) {
	at := func(w generation.Weights) float64 {
		s, _ := generation.Batch{Architecture: llama, Weights: w, GPUs: 1, Sequences: 1, Input: 16, Output: 256}.Plain(a100)
		return s
	}
	if !(at(generation.Int4) < at(generation.FP8) && at(generation.FP8) < at(generation.Half)) {
		t.Error(at(generation.Int4), at(generation.FP8), at(generation.Half))
	}
	many := func(w generation.Weights) float64 {
		s, _ := generation.Batch{Architecture: llama, Weights: w, GPUs: 1, Sequences: 8, Input: 16, Output: 256}.Plain(a100)
		return s
	}
	if !(at(generation.NF4) < at(generation.FP8) && many(generation.NF4) > many(generation.Half)) {
		t.Error(at(generation.NF4), many(generation.NF4), many(generation.Half))
	}
	hopper, blackwell := profile.GPUSpec{Architecture: "Hopper"}, profile.GPUSpec{Architecture: "Blackwell"}
	if !generation.Int8.On(a100) || generation.Int8.On(blackwell) ||
		generation.NF4.On(profile.GPUSpec{Architecture: "CDNA3"}) || !generation.NF4.On(blackwell) {
		t.Error("int8 or nf4 on the wrong GPUs")
	}
	if generation.FP8.On(a100) || !generation.FP8.On(hopper) || !generation.Int4.On(a100) {
		t.Error("FP8 on the wrong GPUs")
	}
	for _, c := range []struct {
		w    generation.Weights
		v    profile.Variant
		same bool
	}{
		{generation.Half, profile.Variant{}, true}, {generation.Half, profile.Variant{Precision: "bf16"}, true},
		{generation.Half, profile.Variant{Precision: "fp8"}, false},
		{generation.FP8, profile.Variant{Precision: "FP8"}, true},
		{generation.Int4, profile.Variant{Name: "int4", Precision: "bf16"}, true}, {generation.FP8, profile.Variant{}, false},
		{generation.Int4, profile.Variant{Precision: "AWQ"}, true},
		{generation.Int4, profile.Variant{Precision: "4-bit"}, true},
		{generation.NF4, profile.Variant{Precision: "nf4"}, true},
		{generation.Half, profile.Variant{Precision: "q4_k"}, false},
	} {
		if c.w.Same(c.v) != c.same {
			t.Errorf("%q and %+v: %v", c.w.Name, c.v, !c.same)
		}
	}
}

func TestParseWeights(t *testing.T) {
	for _, w := range generation.AllWeights[1:] {
		if got, err := generation.ParseWeights(" " + strings.ToUpper(w.Name)); err != nil || got != w {
			t.Errorf("%s: %+v, %v", w.Name, got, err)
		}
	}
	for _, name := range []string{"", "fp32", "q4_k_m", "8\x1b[1m"} {
		if _, err := generation.ParseWeights(name); err == nil || strings.ContainsAny(err.Error(), "\x1b\n") ||
			!strings.Contains(err.Error(), "nf4") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Where nothing was published nothing is predicted.
func TestSpeedsOfNothing(t *testing.T) {
	b := generation.Batch{Architecture: llama, Weights: generation.Half, GPUs: 1, Sequences: 1, Input: 1, Output: 1}
	if e, _ := generation.NewSpeeds(&profile.Set{GPUs: []profile.GPUSpec{a100}}).Seconds(b, "A100"); e.Known() {
		t.Errorf("%+v", e)
	}
}
