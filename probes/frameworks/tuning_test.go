package frameworks

import (
	"bytes"
	"reflect"
	"testing"

	"sweetspot/data/architecture"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
	"sweetspot/probes/protocol"
)

// loraOfTrainer is what transformers_lora.py says of its training.
func loraOfTrainer() *profile.Tuning {
	const learn = 8 * 3 * (48 + 48 + 48 + 16 + 96 + 48) // rank × layers × both sides of q, v and down
	const tensors = 2 * 3 * 3                           // of which AdamW counts the steps, in 4 bytes
	return &profile.Tuning{
		Architecture: &transformer.Architecture{Layers: 3, Hidden: 48, Heads: 6, KVHeads: 2, HeadSize: 8, Intermediate: 96,
			Vocabulary: 80, NormsOfLayer: 2, MaxPositions: 64},
		Method: "lora", Rank: new(8), Targets: []string{"down_proj", "q_proj", "v_proj"}, TrainableParams: new(1.0 * learn),
		Optimizer: "AdamW", OptimizerBytes: new(8.0*learn + 4*tensors), WeightsIn: "bf16", LearningIn: "fp32",
		Checkpointing: new(true), Sequence: new(26.0), Longest: new(32), MaxSequence: new(64), TokensPerStep: new(156.0),
		MicroBatch: new(3), MicroBatches: new(2), Parallel: "none", Sharding: "none",
	}
}

// llamaLoop is what llama_loop.py says of its training: so many tokens a step, in sequences of so
// many on average.
func llamaLoop(tokens, sequence float64, checkpointing bool) *profile.Tuning {
	a := transformer.Architecture{Layers: 3, Hidden: 32, Heads: 4, KVHeads: 2, HeadSize: 8, Intermediate: 48,
		Vocabulary: 50, NormsOfLayer: 2}
	const tensors = 3 + 3*9
	learn := a.Params().Total()
	return &profile.Tuning{Architecture: &a, Method: "full", TrainableParams: &learn, Optimizer: "AdamW",
		OptimizerBytes: new(8*learn + 4*tensors), WeightsIn: "fp32", LearningIn: "fp32", Checkpointing: &checkpointing,
		Sequence: &sequence, Longest: new(12), TokensPerStep: &tokens, MicroBatch: new(4), MicroBatches: new(2),
		Parallel: "none", Sharding: "none"}
}

// shared is the same by two ranks that share the work so.
func shared(t *profile.Tuning, parallel, sharding string, optimizerBytes float64) *profile.Tuning {
	t.Parallel, t.Sharding, t.OptimizerBytes = parallel, sharding, &optimizerBytes
	return t
}

// compareTuning checks what was told of the training of a language model, all of it.
func compareTuning(t *testing.T, told *protocol.Tuning, want *profile.Tuning) {
	t.Helper()
	if told == nil {
		t.Fatal("nothing was told of the training of a language model")
	}
	got := told.Tuning
	if told.Config != nil {
		a, err := architecture.Read(bytes.NewReader(told.Config))
		if err != nil {
			t.Error(err)
		}
		got.Architecture = &a
	}
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("told %s\nwant %s", profile.FormatTuning(&got), profile.FormatTuning(want))
	}
}
