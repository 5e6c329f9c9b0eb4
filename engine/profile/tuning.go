package profile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/transformer"
)

// Tuning is how a run trained a language model, as far as a probe saw it in the script. A nil
// pointer, an empty text and a nil list are unknown.
type Tuning struct {
	// Architecture is that of the network; nil where it is none of those that are known.
	Architecture *transformer.Architecture `json:"architecture"`
	// Method is full, lora, qlora, or partial where others than all or LoRA's parameters learn.
	Method          string   `json:"method"`
	Rank            *int     `json:"lora_rank"`
	Targets         []string `json:"lora_targets"` // names of the modules with LoRA beside them
	TrainableParams *float64 `json:"trainable_params"`
	Optimizer       string   `json:"optimizer"`       // its class: AdamW, AdamW8bit
	OptimizerBytes  *float64 `json:"optimizer_bytes"` // its state on one device
	// WeightsIn is in which the weights are kept that are frozen, and LearningIn those that
	// learn: one of [weightTypes]. Where none are frozen, both are the same, but for copies in
	// more bits that the optimizer learns by.
	WeightsIn     string   `json:"weights_in"`
	LearningIn    string   `json:"learning_in"`
	Checkpointing *bool    `json:"checkpointing"`    // activations are computed again in the backward pass
	Sequence      *float64 `json:"sequence"`         // tokens of a sequence on average, with padding
	Longest       *int     `json:"longest_sequence"` // tokens of the longest one that was seen
	MaxSequence   *int     `json:"max_sequence"`     // tokens that the script allows, else the network
	TokensPerStep *float64 `json:"tokens_per_step"`  // on average, of all ranks, with padding
	MicroBatch    *int     `json:"micro_batch"`      // sequences at once on each device
	MicroBatches  *int     `json:"micro_batches"`    // whose gradients are summed for a step
	Packing       *bool    `json:"packing"`          // several texts share a sequence
	Parallel      string   `json:"parallel"`         // how ranks share the work: none, ddp, fsdp or deepspeed
	Sharding      string   `json:"sharding"`         // what they share out: none, zero1, zero2 or zero3, as FSDP does
}

// Partial is the method of which more is not known: some parameters are frozen.
const Partial = "partial"

// weightTypes are what weights are kept in.
var weightTypes = []string{"fp64", "fp32", "bf16", "fp16", "fp8", "int8", "nf4", "fp4"}

// parallels are the ways in which ranks share the work of a step.
var parallels = []string{"none", "ddp", "fsdp", "deepspeed"}

// Bounds of what can be true of a training.
const (
	mostTargets = 64
	mostCount   = 1 << 40
)

// Check says in a sentence what of it cannot be; nil where all can.
func (t *Tuning) Check() error {
	methods := []string{"", string(transformer.Full), string(transformer.LoRA), string(transformer.QLoRA), Partial}
	shardings := []string{"", string(transformer.None), string(transformer.Zero1), string(transformer.Zero2),
		string(transformer.Zero3)}
	for _, w := range []struct {
		name, value string
		of          []string
	}{
		{"method", t.Method, methods}, {"weights_in", t.WeightsIn, append([]string{""}, weightTypes...)},
		{"learning_in", t.LearningIn, append([]string{""}, weightTypes...)},
		{"parallel", t.Parallel, append([]string{""}, parallels...)}, {"sharding", t.Sharding, shardings},
	} {
		if !slices.Contains(w.of, w.value) {
			return fmt.Errorf("%s %s is not one of %s", w.name, plaintext.Quote(w.value), strings.Join(w.of[1:], ", "))
		}
	}
	for name, n := range map[string]*int{"lora_rank": t.Rank, "longest_sequence": t.Longest,
		"max_sequence": t.MaxSequence, "micro_batch": t.MicroBatch, "micro_batches": t.MicroBatches} {
		if n != nil && (*n < 1 || *n > mostCount) {
			return fmt.Errorf("%s is %d, and should be a whole number from 1", name, *n)
		}
	}
	for name, v := range map[string]*float64{"trainable_params": t.TrainableParams, "optimizer_bytes": t.OptimizerBytes,
		"sequence": t.Sequence, "tokens_per_step": t.TokensPerStep} {
		if v != nil && !(*v >= 0 && *v <= estimate.Largest) {
			return fmt.Errorf("%s is %g, which cannot be", name, *v)
		}
	}
	if len(t.Targets) > mostTargets {
		return fmt.Errorf("lora_targets has more than %d names", mostTargets)
	}
	if t.Architecture != nil {
		return t.Architecture.Check()
	}
	return nil
}

// ParseTuning reads what [FormatTuning] wrote; nil of an empty text and of null. Texts are
// cleaned, and what it does not know is left out.
func ParseTuning(text string) (*Tuning, error) {
	if text == "" || text == "null" {
		return nil, nil
	}
	var t Tuning
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return nil, fmt.Errorf("%s is not JSON as sweetspot writes it", plaintext.Quote(text))
	}
	t.Optimizer = plaintext.Line(t.Optimizer, 100)
	for i, name := range t.Targets {
		t.Targets[i] = plaintext.Line(name, 100)
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return &t, nil
}

// FormatTuning writes a tuning as JSON; "" of none.
func FormatTuning(t *Tuning) string {
	if t == nil {
		return ""
	}
	text, err := json.Marshal(t)
	if err != nil {
		return "" // of a number that is not finite
	}
	return string(text)
}

// TokensPerSecond is the mean rate of a language model's training; nil where it is unknown.
func (r Run) TokensPerSecond() *float64 {
	if r.Tuning == nil || r.Tuning.TokensPerStep == nil || !r.Steady.Known() || !(r.Steady.Value > 0) {
		return nil
	}
	return new(*r.Tuning.TokensPerStep / r.Steady.Value)
}
