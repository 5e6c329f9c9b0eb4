package candidate_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transformer"
)

func languageModels() *profile.Set {
	gpu := func(name, architecture string, tflops, bandwidth, gb float64) profile.GPUSpec {
		return profile.GPUSpec{Name: name, Architecture: architecture, FP32TFLOPS: &tflops, FP16TFLOPS: &tflops,
			BandwidthGBs: &bandwidth, MemoryGB: &gb}
	}
	set := &profile.Set{
		Architectures: []transformer.Architecture{{Name: "llama", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8,
			HeadSize: 128, Intermediate: 14336, Vocabulary: 128256, NormsOfLayer: 2, MaxPositions: 131072}},
		GPUs: []profile.GPUSpec{gpu("A100-SXM4-80GB", "Ampere", 312, 2039, 80), gpu("L4", "Ada", 121, 300, 24),
			gpu("T4", "Turing", 65, 320, 16), gpu("P100-PCIE-16GB", "Pascal", 18.7, 732, 16)},
		Throughputs: []profile.Throughput{{Model: "llama", Tuning: transformer.DefaultTuning(transformer.LoRA), MicroBatch: 2,
			GPU: "A100-SXM4-80GB", GPUs: 1, TokensPerS: 3000, Stack: "transformers"}},
	}
	for _, vm := range []struct {
		name, gpu string
		count     int
		gib, usd  float64
	}{
		{"a1", "A100-SXM4-80GB", 1, 80, 2}, {"a8", "A100-SXM4-80GB", 8, 80, 16}, {"l1", "L4", 1, 24, 0.7},
		{"l4", "L4", 4, 24, 2.8}, {"t1", "T4", 1, 16, 0.4}, {"p1", "P100-PCIE-16GB", 1, 16, 1},
	} {
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "c", Region: "r", InstanceType: vm.name, GPU: vm.gpu,
			GPUCount: vm.count, GPUMemGiB: &vm.gib, Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: vm.usd}}})
	}
	return set
}

func finetuneList(set *profile.Set, way transformer.Tuning, batches ...int) *candidate.List {
	q := question.Default()
	q.Model, q.Mode, q.Units, q.Tuning, q.BatchSizes = "llama", profile.Train, 10e6, &way, batches
	return candidate.NewList(set, q.Workload, nil, nil)
}

func finetunes(set *profile.Set, way transformer.Tuning, batches ...int) map[string]*candidate.Candidate {
	l := finetuneList(set, way, batches...)
	out := map[string]*candidate.Candidate{}
	for i := range l.Len() {
		c := l.At(i)
		out[c.Configuration[0].VM.InstanceType] = c
	}
	return out
}

func TestFinetunes(t *testing.T) {
	set := languageModels()
	found := finetunes(set, transformer.DefaultTuning(transformer.LoRA))
	if _, pascal := found["p1"]; pascal || len(found) != 5 {
		t.Fatalf("%d VM types", len(found))
	}
	a1, l1 := found["a1"], found["l1"]
	if a1.OverMemory != nil || a1.Fit.Verdict != memory.Fits || a1.Fit.LargestBatch < 1 || a1.Fit.LargestSequence < 2048 ||
		a1.Time.Basis != estimate.Transferred || !(a1.Cost.Value > 0) || a1.BatchSize != a1.Fit.MicroBatch {
		t.Errorf("%+v\n%+v", a1, a1.Fit)
	}
	if rate := 10e6 / a1.Time.Value; rate < 2000 || rate > 8000 ||
		math.Abs(a1.Cost.Value/(a1.Time.Value*2/3600)-1) > 1e-9 {
		t.Errorf("%g tokens/s, $%g", rate, a1.Cost.Value)
	}
	if l1.Time.Basis != estimate.Spec || l1.OverMemory == nil || *l1.OverMemory.Value <= 0 || l1.OverMemory.Limit != 24 ||
		!slices.Contains(l1.Fit.WouldFit, "QLoRA") {
		t.Errorf("%+v\n%+v", l1, l1.Fit)
	}
	if c := found["t1"]; c.Variant.Precision != "fp16" || c.Fit.Verdict == memory.Fits {
		t.Errorf("%+v", c.Fit)
	}
	if c := found["a8"]; c.BatchSize != 8*c.Fit.MicroBatch || c.Time.Value > a1.Time.Value/4 {
		t.Errorf("%+v", c)
	}
	full := finetunes(set, transformer.DefaultTuning(transformer.Full))
	if c := full["a1"]; c.OverMemory == nil || !slices.Contains(c.Fit.WouldFit, "LoRA") {
		t.Errorf("a full fine-tune of 8B on one A100: %+v", c.Fit)
	}
	if c := full["a8"]; c.OverMemory != nil || c.Fit.Tuning.Sharding != transformer.Zero3 ||
		!strings.Contains(c.Why, "FSDP") {
		t.Errorf("a full fine-tune of 8B on eight: %+v", c.Fit)
	}
}

// A batch that is asked for is that of a step, in as many parts as memory needs. Where the
// GPUs cannot share it, it is left out and counted.
func TestFinetuneBatches(t *testing.T) {
	found := finetunes(languageModels(), transformer.DefaultTuning(transformer.LoRA), 20)
	if _, eight := found["a8"]; eight {
		t.Error("20 sequences on 8 GPUs")
	}
	c := found["a1"]
	if c.BatchSize != 20 || c.Fit.MicroBatch*c.Fit.MicroBatches != 20 || c.Fit.MicroBatch > c.Fit.LargestBatch ||
		c.OverMemory != nil {
		t.Errorf("%+v", c.Fit)
	}
	if c := found["l4"]; c.BatchSize != 20 || c.Fit.GPUs != 4 {
		t.Errorf("%+v", c.Fit)
	}
	uneven := finetuneList(languageModels(), transformer.DefaultTuning(transformer.LoRA), 20, 16, 3).Uneven
	if want := []candidate.Uneven{{Batch: 20, VMTypes: 1}, {Batch: 3, VMTypes: 2}}; !slices.Equal(uneven, want) {
		t.Errorf("%+v left out, want %+v", uneven, want)
	}
}

// Nothing that might run out of memory is feasible, and every time is known.
func TestNoFinetuneRunsOutOfMemory(t *testing.T) {
	set := languageModels()
	rapid.Check(t, func(t *rapid.T) {
		way := transformer.DefaultTuning(rapid.SampledFrom([]transformer.Method{transformer.Full, transformer.LoRA,
			transformer.QLoRA}).Draw(t, "method"))
		way.Sequence = rapid.IntRange(64, 1<<15).Draw(t, "sequence")
		way.Checkpointing = rapid.SampledFrom([]transformer.Checkpointing{transformer.WhereNeeded, transformer.Always,
			transformer.Never}).Draw(t, "checkpointing")
		way.Sharding = rapid.SampledFrom([]transformer.Sharding{transformer.Auto, transformer.None, transformer.Zero1,
			transformer.Zero2, transformer.Zero3}).Draw(t, "sharding")
		batch := rapid.SampledFrom([]int{0, 8, 64}).Draw(t, "batch")
		var batches []int
		if batch > 0 {
			batches = []int{batch}
		}
		for name, c := range finetunes(set, way, batches...) {
			fits := c.Fit.Need.Total.High <= c.Fit.HasGiB*memory.GiB
			if c.OverMemory == nil && !fits || (c.OverMemory == nil) != (c.Fit.Verdict == memory.Fits) {
				t.Fatalf("%s: %+v, %+v", name, c.OverMemory, c.Fit)
			}
			if !c.Time.Known() || !(c.Time.Low > 0 && c.Time.Low <= c.Time.Value && c.Time.Value <= c.Time.High) ||
				!c.Cost.Known() || batch > 0 && c.BatchSize != batch {
				t.Fatalf("%s: %+v", name, c)
			}
			if way.Checkpointing != transformer.WhereNeeded && c.Fit.Tuning.Checkpointing != way.Checkpointing {
				t.Fatalf("%s: %+v", name, c.Fit.Tuning)
			}
		}
	})
}
