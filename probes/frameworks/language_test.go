package frameworks

import (
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

// models are trainings of language models by what is made for them: TRL, Lightning and FSDP, some of
// them in an environment with torchao and bitsandbytes, which a short test does without.
var models = []script{
	{file: "trl_sft.py", framework: "TRL, peft", args: []string{"bfd"}, only: "new", iterations: 12, batch: 8,
		samples: 48, perEpoch: 6, epochs: 2, steps: unknown, precision: "bf16", seed: true, tuning: packed(nil)},
	{file: "trl_sft.py", framework: "TRL, peft", args: []string{"wrapped"}, only: language, iterations: 12, batch: 8,
		samples: 48, perEpoch: 6, epochs: 2, steps: unknown, precision: "bf16", seed: true, tuning: packed(new(32))},
	{file: "lightning_llama.py", framework: "Lightning, transformers", only: "new", iterations: 16, batch: 12,
		samples: 96, perEpoch: 8, epochs: 2, steps: unknown, validations: 2, precision: "bf16", seed: true,
		tuning: llamaByLightning()},
	{file: "sharded_llama.py", framework: "FSDP, transformers", args: []string{"FULL_SHARD"}, only: language,
		launch: torchrun, ranks: 2, iterations: 16, batch: 12, samples: 96, perEpoch: 8, epochs: 2, steps: unknown,
		precision: "bf16", seed: true, tuning: llamaByFSDP()},
	{file: "sharded_llama.py", framework: "FSDP2, peft", args: []string{"lora"}, only: "new", launch: torchrun, ranks: 2,
		iterations: 16, batch: 12, samples: 96, perEpoch: 8, epochs: 2, steps: unknown, precision: "bf16", seed: true,
		tuning: loraByFSDP()},
	{file: "float8_llama.py", framework: "torchao, transformers", only: language, iterations: 32, batch: 4,
		samples: 64, perEpoch: 16, epochs: 2, steps: unknown, precision: "fp8", seed: true,
		tuning: fullTraining(small(4, 32), "bf16", 2, batches{4, 24, 1, 1})},
	{file: "qlora.py", framework: "bitsandbytes, peft", only: language, iterations: 16, batch: 12, samples: 96,
		perEpoch: 8, epochs: 2, steps: unknown, checkpoints: 1, precision: "bf16", seed: true, tuning: qlora()},
}

// small is the network of these scripts but one, by its heads of keys and values, and its positions.
func small(kvHeads, positions int) *transformer.Architecture {
	return &transformer.Architecture{Layers: 2, Hidden: 32, Heads: 4, KVHeads: kvHeads, HeadSize: 8, Intermediate: 64,
		Vocabulary: 64, NormsOfLayer: 2, MaxPositions: positions}
}

// tensors is the number of small's: seven matrices and two norms of a layer, the embedding, the last
// norm and the head.
const tensors = 2*9 + 3

// batches are those of a step: so many rows of so many words at once, so often, by so many ranks.
type batches struct{ rows, words, times, ranks int }

// fullTraining is a full training with AdamW of such a network, whose weights are kept in a type of so many
// bytes. The optimizer's state takes two numbers for each parameter, and 4 bytes for each tensor.
func fullTraining(a *transformer.Architecture, kind string, bytes float64, b batches) *profile.Tuning {
	learn := a.Params().Total()
	return &profile.Tuning{Architecture: a, Method: "full", TrainableParams: &learn, Optimizer: "AdamW",
		OptimizerBytes: new(2*bytes*learn + 4*tensors), WeightsIn: kind, LearningIn: kind, Checkpointing: new(false),
		Sequence: new(float64(b.words)), Longest: &b.words, MaxSequence: &a.MaxPositions,
		TokensPerStep: new(float64(b.rows * b.words * b.times * b.ranks)), MicroBatch: &b.rows, MicroBatches: &b.times,
		Parallel: "none", Sharding: "none"}
}

// withLoRA is the same with LoRA in 32 bits beside these matrices: so many parameters in so many tensors.
func withLoRA(t *profile.Tuning, rank int, learn, tensors float64, targets ...string) *profile.Tuning {
	t.Method, t.Rank, t.Targets, t.LearningIn = "lora", &rank, targets, "fp32"
	t.TrainableParams, t.OptimizerBytes = &learn, new(8*learn+4*tensors)
	return t
}

// packed is what trl_sft.py says: every sequence is full. Where the collator joins those of a batch to
// one row, the longest is not seen.
func packed(longest *int) *profile.Tuning {
	const learn = 4 * 2 * (64 + 48 + 48 + 64 + 3*96) // rank × layers × both sides of the matrices
	t := withLoRA(fullTraining(small(2, 128), "fp32", 4, batches{4, 32, 2, 1}), 4, learn, 2*2*7,
		"down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj")
	t.Checkpointing, t.Longest, t.MaxSequence, t.Packing = new(true), longest, new(32), new(true)
	return t
}

func llamaByLightning() *profile.Tuning {
	t := fullTraining(small(4, 48), "fp32", 4, batches{3, 40, 4, 1})
	t.Checkpointing = new(true)
	return t
}

// llamaByFSDP is what a rank sees of a network of which it has a share: half of all numbers, of 12 tensors.
func llamaByFSDP() *profile.Tuning {
	t := shared(fullTraining(small(2, 64), "fp32", 4, batches{3, 28, 2, 2}), "fsdp", "zero3", 0)
	t.OptimizerBytes, t.TrainableParams = new(8**t.TrainableParams/2+4*12), nil
	return t
}

// loraByFSDP has half of each tensor on each rank.
func loraByFSDP() *profile.Tuning {
	const learn, tensors = 4 * 2 * (64 + 48), 2 * 2 * 2
	t := withLoRA(fullTraining(small(2, 64), "fp32", 4, batches{3, 28, 2, 2}), 4, learn, tensors, "q_proj", "v_proj")
	return shared(t, "fsdp", "zero3", 8*learn/2+4*tensors)
}

func qlora() *profile.Tuning {
	a := &transformer.Architecture{Layers: 2, Hidden: 64, Heads: 4, KVHeads: 4, HeadSize: 16, Intermediate: 128,
		Vocabulary: 80, NormsOfLayer: 2, MaxPositions: 64}
	t := fullTraining(a, "nf4", 0.5, batches{4, 24, 3, 1})
	t = withLoRA(t, 8, 8*2*4*128, 2*2*4, "k_proj", "o_proj", "q_proj", "v_proj")
	t.Method, t.Checkpointing = "qlora", new(true)
	return t
}
