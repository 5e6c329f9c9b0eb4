package wording

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Trained says how a run trained a language model: LoRA rank 8 on q_proj+v_proj, AdamW, 156 tokens
// a step; "" of other work. What is unknown is left out.
func Trained(r profile.Run) string {
	t := r.Tuning
	if t == nil {
		return ""
	}
	parts := []string{method(t)}
	add := func(known bool, words string) {
		if known {
			parts = append(parts, words)
		}
	}
	add(t.Optimizer != "", plaintext.Clean(t.Optimizer))
	if t.TokensPerStep != nil {
		parts = append(parts, quantity.Count(math.Round(*t.TokensPerStep))+" tokens a step")
	}
	if t.Sequence != nil {
		words := "sequences of " + quantity.Count(math.Round(*t.Sequence))
		if t.Longest != nil && float64(*t.Longest) > math.Round(*t.Sequence) {
			words += " on average, " + quantity.Count(float64(*t.Longest)) + " at most"
		}
		parts = append(parts, words)
	}
	add(t.Packing != nil && *t.Packing, "packed")
	if t.MicroBatch != nil {
		words := quantity.Several(*t.MicroBatch, "sequence") + " at once"
		if t.MicroBatches != nil && *t.MicroBatches > 1 {
			words += fmt.Sprintf(", %d times a step", *t.MicroBatches)
		}
		parts = append(parts, words)
	}
	add(t.WeightsIn != "", "weights in "+t.WeightsIn)
	add(t.LearningIn != "" && t.LearningIn != t.WeightsIn, "those that learn in "+t.LearningIn)
	add(t.Checkpointing != nil && *t.Checkpointing, "with checkpointing")
	add(t.Parallel != "" && t.Parallel != "none", strings.ToUpper(t.Parallel))
	add(t.Sharding != "" && t.Sharding != "none", t.Sharding)
	return strings.Join(parts, ", ")
}

// method is which parameters learn.
func method(t *profile.Tuning) string {
	words := map[string]string{"": "a language model", "full": "all parameters", "lora": "LoRA", "qlora": "QLoRA",
		profile.Partial: "some parameters"}[t.Method]
	if t.Rank != nil {
		words += fmt.Sprintf(" rank %d", *t.Rank)
	}
	if len(t.Targets) > 0 {
		words += " on " + plaintext.Clean(strings.Join(t.Targets, "+"))
	}
	return words
}
