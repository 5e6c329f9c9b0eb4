package candidate_test

import (
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transformer"
)

// probed is a set with a run of llama on VM type a1, whose tensors took so many times what is
// counted of its job.
func probed(t *testing.T, off float64) (*profile.Set, transformer.Tuning, memory.Job) {
	t.Helper()
	set := languageModels()
	a := set.Architectures[0]
	r := profile.Run{ID: 1, Model: "llama", Mode: profile.Train, Cloud: "c", Region: "r", InstanceType: "a1",
		GPU: "A100-SXM4-80GB", GPUCount: 1, Count: 1, BatchSize: 4, Variant: profile.Variant{Precision: "bf16"},
		Steady: estimate.Estimate{Value: 2, Low: 1.9, High: 2.1, Basis: estimate.Measured}, Status: profile.Done,
		Basis: estimate.Measured, InitS: new(30.0), FirstIterationS: new(10.0),
		Tuning: &profile.Tuning{Architecture: &a, Method: "lora", Rank: new(16), Optimizer: "AdamW", WeightsIn: "bf16",
			LearningIn: "fp32", Checkpointing: new(true), Sequence: new(2000.0), Longest: new(2048), MicroBatch: new(4),
			MicroBatches: new(1), TokensPerStep: new(8000.0), Parallel: "none", Sharding: "none"}}
	way, ok := question.TuningOf(&r)
	if !ok {
		t.Fatal("its tuning cannot be asked about")
	}
	way.Sharding = transformer.None
	job := memory.Job{Architecture: a, Tuning: way, GPUs: 1, MicroBatch: 4}
	r.PeakMemoryBytes = new(off * memory.Of(job).Total.Value)
	set.Runs = []profile.Run{r}
	way.Sharding = transformer.Auto
	return set, way, job
}

// A run answers for its own VM type, by its steps; on other GPUs the peak that was measured
// corrects the count, and says what it rests on.
func TestMeasuredFineTune(t *testing.T) {
	set, way, _ := probed(t, 1)
	found := finetunes(set, way, 4)
	a1 := found["a1"]
	if a1 == nil || a1.Fit != nil || a1.Time.Basis != estimate.Measured || len(a1.Sources) != 1 ||
		a1.Time.Value != 30+10+2*1250 || !(a1.Time.Low < a1.Time.Value && a1.Time.Value < a1.Time.High) || a1.IsPredicted() {
		t.Fatalf("%+v", a1)
	}
	for _, name := range []string{"l1", "t1", "l4"} {
		c := found[name]
		if c == nil || c.Fit == nil || c.Fit.Need.Total.Basis != estimate.Transferred && c.Fit.Need.Total.Basis !=
			estimate.Measured {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if l1 := found["l1"]; l1.OverMemory == nil && l1.Fit.MicroBatch >= 4 {
		t.Error("an L4 seems to hold at once what took an A100 more than 24 GiB")
	}
	way.Method = transformer.QLoRA // of which nothing was measured
	other := finetunes(set, way, 4)
	if a1 := other["a1"]; a1.Fit == nil || a1.Fit.Need.Total.Basis != estimate.Spec {
		t.Errorf("%+v", a1)
	}
}

// However far a measured peak is above the count, nothing that needs as much is feasible on a
// GPU that has less.
func TestMeasuredPeakRulesOut(t *testing.T) {
	for _, off := range []float64{0.5, 1, 1.3, 2, 3, 5} {
		set, way, job := probed(t, off)
		bytes := *set.Runs[0].PeakMemoryBytes
		for name, c := range finetunes(set, way, 4, 8) {
			if c.Fit == nil || c.OverMemory != nil || c.Fit.MicroBatch < job.MicroBatch || c.Fit.GPUs > 1 ||
				!c.Fit.Tuning.Again() {
				continue
			}
			if c.Fit.HasGiB*memory.GiB < bytes {
				t.Errorf("off by %g: %s with %g GiB holds what took %g", off, name, c.Fit.HasGiB, bytes/memory.GiB)
			}
		}
	}
}
