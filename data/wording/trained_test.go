package wording_test

import (
	"testing"

	"sweetspot/data/wording"
	"sweetspot/engine/profile"
)

func TestTrained(t *testing.T) {
	for want, tuning := range map[string]*profile.Tuning{
		"":                                   nil,
		"a language model":                   {},
		"some parameters, 12 tokens a step":  {Method: "partial", TokensPerStep: new(11.5)},
		"all parameters, FSDP, zero3":        {Method: "full", Parallel: "fsdp", Sharding: "zero3"},
		"all parameters, sequences of 1,024": {Method: "full", Sequence: new(1024.0), Longest: new(1024)},
		"QLoRA rank 8 on q_proj+v_proj, AdamW8bit, 1,200 tokens a step, sequences of 300 on average, 512 at most, packed, " +
			"2 sequences at once, 2 times a step, weights in nf4, those that learn in fp32, with checkpointing": {
			Method: "qlora", Rank: new(8), Targets: []string{"q_proj", "v_proj"}, Optimizer: "AdamW8bit",
			TokensPerStep: new(1200.0), Sequence: new(300.0), Longest: new(512), Packing: new(true), MicroBatch: new(2),
			MicroBatches: new(2), WeightsIn: "nf4", LearningIn: "fp32", Checkpointing: new(true), Parallel: "none",
			Sharding: "none"},
	} {
		if got := wording.Trained(profile.Run{Tuning: tuning}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
