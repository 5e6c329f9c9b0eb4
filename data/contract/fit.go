package contract

import (
	"sweetspot/engine/candidate"
	"sweetspot/engine/memory"
)

// Fit is whether a language model's training or batch inference fits each GPU, and how it is spread over them.
type Fit struct {
	Verdict  string    `json:"verdict" yaml:"verdict"`     // fits, may fit or too much: only what fits is feasible
	NeedsGiB float64   `json:"needs_gib" yaml:"needs_gib"` // of each GPU, at its peak
	Low      float64   `json:"low" yaml:"low"`             // GiB
	High     float64   `json:"high" yaml:"high"`           // GiB; what decides
	HasGiB   float64   `json:"has_gib" yaml:"has_gib"`     // of each GPU, of which the driver keeps some
	Parts    []FitPart `json:"parts" yaml:"parts"`         // what it is made of; not all are there at the peak
	// sequences that each GPU holds at once; 0 where not one fits
	LargestBatch     int      `json:"largest_batch" yaml:"largest_batch"`
	LargestSequence  int      `json:"largest_sequence" yaml:"largest_sequence"`   // of one sequence, tokens; 0: none fits
	WouldFit         []string `json:"would_fit" yaml:"would_fit"`                 // changes, each enough alone
	MicroBatch       int      `json:"micro_batch" yaml:"micro_batch"`             // sequences on each GPU at once
	AccumulatedSteps int      `json:"accumulated_steps" yaml:"accumulated_steps"` // micro-batches of a step
	Checkpointing    bool     `json:"checkpointing" yaml:"checkpointing"`         // activations are computed again
	Sharding         string   `json:"sharding" yaml:"sharding"`                   // none, zero1, zero2 or zero3
	Trainable        float64  `json:"trainable_params" yaml:"trainable_params"`   // parameters that learn
	FLOPsPerToken    float64  `json:"flops_per_token" yaml:"flops_per_token"`     // forward and backward
	TokensPerSecond  Rate     `json:"tokens_per_second" yaml:"tokens_per_second"` // on all GPUs
}

// FitPart is what each GPU holds of one kind.
type FitPart struct {
	// weights, gradients, optimizer, activations, logits, working, buckets or framework; of inference
	// KV cache too
	Part string  `json:"part" yaml:"part"`
	GiB  float64 `json:"gib" yaml:"gib"`
	Low  float64 `json:"low" yaml:"low"`
	High float64 `json:"high" yaml:"high"`
}

func newFit(f *candidate.Fit) *Fit {
	if f == nil {
		return nil
	}
	total := f.Need.Total
	out := &Fit{Verdict: string(f.Verdict), NeedsGiB: total.Value / memory.GiB, Low: total.Low / memory.GiB,
		High: total.High / memory.GiB, HasGiB: f.HasGiB, Parts: []FitPart{}, LargestBatch: f.LargestBatch,
		LargestSequence: f.LargestSequence, WouldFit: append([]string{}, f.WouldFit...), MicroBatch: f.MicroBatch,
		AccumulatedSteps: f.MicroBatches, Checkpointing: f.Tuning.Again(), Sharding: string(f.Tuning.Sharding),
		Trainable: f.Trainable, FLOPsPerToken: f.FLOPsPerToken}
	for _, p := range f.Need.Parts {
		out.Parts = append(out.Parts, FitPart{p.Name, p.Value / memory.GiB, p.Low / memory.GiB, p.High / memory.GiB})
	}
	out.TokensPerSecond.Value, out.TokensPerSecond.Range = interval(f.TokensPerSecond)
	return out
}
