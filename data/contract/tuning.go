package contract

import (
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

// Tuning is how a run trained a language model, as far as a probe saw it in the script.
type Tuning struct {
	Architecture    *transformer.Architecture `json:"architecture"` // null where it is none of those that are known
	Method          *string                   `json:"method"`       // full, lora, qlora, or partial: others are frozen
	Rank            *int                      `json:"lora_rank"`
	Targets         []string                  `json:"lora_targets"` // modules with LoRA beside them, or null
	TrainableParams *float64                  `json:"trainable_params"`
	Optimizer       *string                   `json:"optimizer"`        // its class: AdamW, AdamW8bit
	OptimizerBytes  *float64                  `json:"optimizer_bytes"`  // its state on one device
	WeightsIn       *string                   `json:"weights_in"`       // frozen weights: fp32, bf16, fp16, fp8, int8, nf4
	LearningIn      *string                   `json:"learning_in"`      // weights that learn, likewise
	Checkpointing   *bool                     `json:"checkpointing"`    // activations are computed again
	Sequence        *float64                  `json:"sequence"`         // tokens on average, with padding
	Longest         *int                      `json:"longest_sequence"` // tokens of the longest one that was seen
	MaxSequence     *int                      `json:"max_sequence"`     // tokens that the script allows, else the network
	TokensPerStep   *float64                  `json:"tokens_per_step"`  // on average, of all ranks, with padding
	MicroBatch      *int                      `json:"micro_batch"`      // sequences at once on each device
	MicroBatches    *int                      `json:"micro_batches"`    // whose gradients are summed for a step
	Packing         *bool                     `json:"packing"`          // several texts share a sequence
	Parallel        *string                   `json:"parallel"`         // none, ddp, fsdp or deepspeed
	Sharding        *string                   `json:"sharding"`         // none, zero1, zero2, or zero3, as FSDP does
	TokensPerSecond *float64                  `json:"tokens_per_second"`
}

// newTuning is that of a run; nil where it has none.
func newTuning(r profile.Run) *Tuning {
	t := r.Tuning
	if t == nil {
		return nil
	}
	return &Tuning{
		Architecture: t.Architecture, Method: OrNull(t.Method), Rank: t.Rank, Targets: t.Targets,
		TrainableParams: t.TrainableParams, Optimizer: OrNull(clean(t.Optimizer)), OptimizerBytes: t.OptimizerBytes,
		WeightsIn: OrNull(t.WeightsIn), LearningIn: OrNull(t.LearningIn), Checkpointing: t.Checkpointing,
		Sequence: t.Sequence, Longest: t.Longest, MaxSequence: t.MaxSequence, TokensPerStep: t.TokensPerStep,
		MicroBatch: t.MicroBatch, MicroBatches: t.MicroBatches, Packing: t.Packing, Parallel: OrNull(t.Parallel),
		Sharding: OrNull(t.Sharding), TokensPerSecond: r.TokensPerSecond(),
	}
}
