package question

import (
	"slices"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

// Tuned is the newest run of the user's own that trained a language model of that name in a way
// that can be predicted on other GPUs; nil where there is none.
func Tuned(set *profile.Set, model string) (newest *profile.Run) {
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Model != model || r.Mode != profile.Train || r.ID < 0 || newest != nil && r.ID < newest.ID {
			continue
		}
		if _, ok := TuningOf(r); ok {
			newest = r
		}
	}
	return newest
}

// TuningOf is how a run trained a language model, as a question asks for it: on sequences as long as
// the script's longest. ok is false where that is not known, or where other matrices learn than
// memory and times are counted for. An optimizer that is not known is taken for AdamW, and what
// computes in 32 bits is asked so.
func TuningOf(r *profile.Run) (t transformer.Tuning, ok bool) {
	of := r.Tuning
	if of == nil || of.Architecture == nil || of.Longest == nil && of.Sequence == nil {
		return t, false
	}
	t = transformer.DefaultTuning(transformer.Method(of.Method))
	if t.Sequence = longest(of); of.Rank != nil {
		t.Rank = *of.Rank
	}
	if len(of.Targets) < len(transformer.AllTargets()) {
		t.Targets = append(t.Targets, of.Targets...)
	}
	t.Optimizer, t.Weights = optimizerOf(of), weightsOf(r)
	t.Frozen32 = t.Method == transformer.LoRA && t.Weights == transformer.Mixed && is32(of.WeightsIn)
	switch {
	case of.Checkpointing != nil && *of.Checkpointing:
		t.Checkpointing = transformer.Always
	case of.Checkpointing != nil:
		t.Checkpointing = transformer.Never
	}
	if of.Sharding != "" && r.Workers() > 1 {
		t.Sharding = transformer.Sharding(of.Sharding)
	}
	return t, of.Method != "" && of.Method != profile.Partial && !keepsMore(of) && t.Check() == nil
}

// keepsMore reports whether an optimizer keeps more of each parameter than AdamW's two
// moments, in at most 32 bits, which nothing counted here would have room for.
func keepsMore(of *profile.Tuning) bool {
	const moments, little = 2 * 4, 1.05
	return of.OptimizerBytes != nil && of.TrainableParams != nil &&
		*of.OptimizerBytes > little*moments**of.TrainableParams
}

// longest is the tokens of the longest sequence: the limit of the script, where that is tighter
// than the network's, else the longest one seen.
func longest(of *profile.Tuning) int {
	if m, a := of.MaxSequence, of.Architecture.MaxPositions; m != nil && (a == 0 || *m < a) {
		return *m
	}
	if of.Longest != nil {
		return *of.Longest
	}
	return int(*of.Sequence + 0.999)
}

// optimizerOf is the kind of an optimizer by its class; SGD's where it is known to keep no
// momentum.
func optimizerOf(of *profile.Tuning) transformer.Optimizer {
	switch name := strings.ToLower(of.Optimizer); {
	case strings.Contains(name, "8bit"):
		return transformer.AdamW8bit
	case strings.Contains(name, "adafactor"):
		return transformer.Adafactor
	case name == "sgd" && of.OptimizerBytes != nil && *of.OptimizerBytes == 0:
		return transformer.SGD
	}
	return transformer.AdamW
}

func weightsOf(r *profile.Run) transformer.Weights {
	switch {
	case slices.Contains([]string{"bf16", "fp16"}, r.Tuning.LearningIn):
		return transformer.Half
	case is32(r.Variant.Precision):
		return transformer.Single
	}
	return transformer.Mixed
}

// is32 reports whether numbers of a type have 32 bits or more.
func is32(precision string) bool { return slices.Contains([]string{"fp32", "tf32", "fp64"}, precision) }

// TokensOf is how many tokens the whole training of a run takes; 0 where that is not known.
func TokensOf(r *profile.Run) float64 {
	if r.Tuning == nil || r.Tuning.TokensPerStep == nil || r.Epochs == nil || r.IterationsPerEpoch == nil {
		return 0
	}
	return *r.Tuning.TokensPerStep * *r.Epochs * *r.IterationsPerEpoch
}
