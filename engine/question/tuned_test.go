package question

import (
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

func tunedRun() profile.Run {
	a := transformer.Architecture{Layers: 2, Hidden: 32, Heads: 4, KVHeads: 2, HeadSize: 8, Intermediate: 64,
		Vocabulary: 100, NormsOfLayer: 2, MaxPositions: 4096}
	return profile.Run{ID: 3, Model: "train", Mode: profile.Train, Unit: "sample", BatchSize: 8, Epochs: new(2.0),
		IterationsPerEpoch: new(50.0), Steady: estimate.Exact(1, estimate.Measured),
		Variant: profile.Variant{Precision: "bf16"},
		Tuning: &profile.Tuning{Architecture: &a, Method: "lora", Rank: new(4), Targets: []string{"q_proj"},
			Optimizer: "PagedAdamW8bit", WeightsIn: "bf16", LearningIn: "fp32", Sequence: new(300.0), Longest: new(512),
			MaxSequence: new(4096), TokensPerStep: new(2400.0)}}
}

// A model that was probed is asked about as its script trains, with all of its tokens.
func TestStartAsTheScriptTrains(t *testing.T) {
	set := &profile.Set{Runs: []profile.Run{tunedRun()}}
	of, err := Resolve(set, "train", "")
	if err != nil || !of.Tuned || of.Untried {
		t.Fatalf("%+v, %v", of, err)
	}
	q := Start(set, of)
	if q.Tuning == nil || q.Units != 2*50*2400 || q.Unit != Token || len(q.BatchSizes) != 1 || q.BatchSizes[0] != 8 ||
		!q.Predicted {
		t.Fatalf("%+v", q)
	}
	w := *q.Tuning
	if w.Method != transformer.LoRA || w.Rank != 4 || len(w.Targets) != 1 || w.Optimizer != transformer.AdamW8bit ||
		w.Weights != transformer.Mixed || w.Sequence != 512 || w.Checkpointing != transformer.WhereNeeded {
		t.Errorf("%+v", w)
	}
	if err := q.Check(); err != nil {
		t.Error(err)
	}
	of.Tuned = false
	if q := Start(set, of); q.Tuning != nil {
		t.Errorf("%+v", q.Tuning)
	}
}

func TestTuningOf(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *profile.Run)
		ok     bool
		want   func(t transformer.Tuning) bool
	}{
		"the script's limit, tighter than the network's": {func(r *profile.Run) { r.Tuning.MaxSequence = new(1024) }, true,
			func(t transformer.Tuning) bool { return t.Sequence == 1024 }},
		"32 bits": {func(r *profile.Run) { r.Variant.Precision = "fp32" }, true,
			func(t transformer.Tuning) bool { return t.Weights == transformer.Single }},
		"16 bits": {func(r *profile.Run) { r.Tuning.LearningIn = "bf16" }, true,
			func(t transformer.Tuning) bool { return t.Weights == transformer.Half }},
		"checkpointing": {func(r *profile.Run) { r.Tuning.Checkpointing = new(true) }, true,
			func(t transformer.Tuning) bool { return t.Checkpointing == transformer.Always }},
		"an optimizer that is not known": {func(r *profile.Run) { r.Tuning.Optimizer = "Lion" }, true,
			func(t transformer.Tuning) bool { return t.Optimizer == transformer.AdamW }},
		"LoRA beside a base in 32 bits": {func(r *profile.Run) { r.Tuning.WeightsIn = "fp32" }, true,
			func(t transformer.Tuning) bool { return t.Weights == transformer.Mixed && t.Frozen32 }},
		"SGD with momentum": {func(r *profile.Run) { r.Tuning.Optimizer, r.Tuning.OptimizerBytes = "SGD", new(4e6) }, true,
			func(t transformer.Tuning) bool { return t.Optimizer == transformer.AdamW }},
		"SGD": {func(r *profile.Run) { r.Tuning.Optimizer, r.Tuning.OptimizerBytes = "SGD", new(0.0) }, true,
			func(t transformer.Tuning) bool { return t.Optimizer == transformer.SGD }},
		"an optimizer that keeps more": {func(r *profile.Run) {
			r.Tuning.Optimizer, r.Tuning.OptimizerBytes, r.Tuning.TrainableParams = "SOAP", new(16e6), new(1e6)
		}, false, nil},
		"several ranks": {func(r *profile.Run) { r.WorldSize, r.Tuning.Sharding = new(4), "zero2" }, true,
			func(t transformer.Tuning) bool { return t.Sharding == transformer.Zero2 }},
		"no network that is known": {func(r *profile.Run) { r.Tuning.Architecture = nil }, false, nil},
		"other matrices":           {func(r *profile.Run) { r.Tuning.Targets = []string{"lm_head"} }, false, nil},
		"some parameters":          {func(r *profile.Run) { r.Tuning.Method = profile.Partial }, false, nil},
		"no sequence":              {func(r *profile.Run) { r.Tuning.Sequence, r.Tuning.Longest = nil, nil }, false, nil},
		"other work":               {func(r *profile.Run) { r.Tuning = nil }, false, nil},
	} {
		r := tunedRun()
		c.change(&r)
		got, ok := TuningOf(&r)
		if ok != c.ok || ok && !c.want(got) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}
