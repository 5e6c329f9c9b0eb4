package transformer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Method is which parameters learn.
type Method string

// The methods.
const (
	Full  Method = "full"  // all parameters
	LoRA  Method = "lora"  // two thin matrices beside each targeted one
	QLoRA Method = "qlora" // LoRA beside matrices that are kept in 4 bits
)

// Methods are all of them.
var Methods = []Method{Full, LoRA, QLoRA}

// Optimizer is what turns gradients into steps.
type Optimizer string

// The optimizers.
const (
	AdamW     Optimizer = "adamw"
	AdamW8bit Optimizer = "adamw-8bit"
	Adafactor Optimizer = "adafactor"
	SGD       Optimizer = "sgd" // without momentum
)

// Optimizers are all of them.
var Optimizers = []Optimizer{AdamW, AdamW8bit, Adafactor, SGD}

// Weights is how the weights that learn are kept.
type Weights string

// The ways to keep them.
const (
	Mixed Weights = "mixed" // arithmetic in 16 bits, weights, gradients and optimizer in 32
	Half  Weights = "half"  // everything in 16 bits
	// Single is everything in 32 bits, frozen weights, activations and arithmetic too.
	Single Weights = "single"
)

// WeightsIn are all ways to keep them.
var WeightsIn = []Weights{Mixed, Half, Single}

// Sharding is what the GPUs of a training share out among them.
type Sharding string

// The kinds of sharding, as DeepSpeed numbers them; FSDP shards as stage 3 does.
const (
	Auto  Sharding = "auto" // none or stage 3, whichever is the fastest that fits
	None  Sharding = "none" // each GPU has all, as with DDP
	Zero1 Sharding = "zero1"
	Zero2 Sharding = "zero2"
	Zero3 Sharding = "zero3"
)

// Shardings are all kinds.
var Shardings = []Sharding{Auto, None, Zero1, Zero2, Zero3}

// Checkpointing is whether activations are computed again in the backward pass, but for each
// layer's input.
type Checkpointing string

// When they are.
const (
	WhereNeeded Checkpointing = "auto" // where that is the fastest that fits
	Always      Checkpointing = "on"
	Never       Checkpointing = "off"
)

// Checkpointings are all of these.
var Checkpointings = []Checkpointing{WhereNeeded, Always, Never}

// Tuning is a way to train a language model.
type Tuning struct {
	Method        Method        `json:"method" yaml:"method"`                 // full, lora or qlora
	Rank          int           `json:"lora_rank" yaml:"lora_rank"`           // of LoRA
	Targets       []string      `json:"lora_targets" yaml:"lora_targets"`     // names of matrices; none are all
	Optimizer     Optimizer     `json:"optimizer" yaml:"optimizer"`           // adamw, adamw-8bit, adafactor or sgd
	Weights       Weights       `json:"weights" yaml:"weights"`               // that learn: mixed, half or single
	Frozen32      bool          `json:"frozen_in_fp32" yaml:"frozen_in_fp32"` // LoRA's base, beside arithmetic in 16 bits
	Sharding      Sharding      `json:"sharding" yaml:"sharding"`             // auto, none, zero1, zero2 or zero3
	Sequence      int           `json:"sequence" yaml:"sequence"`             // tokens
	Checkpointing Checkpointing `json:"checkpointing" yaml:"checkpointing"`   // auto, on or off
}

// Defaults of what a user does not say.
const (
	DefaultRank     = 16
	DefaultSequence = 2048
)

// DefaultTuning is a method with what is usual beside it.
func DefaultTuning(m Method) Tuning {
	return Tuning{Method: m, Rank: DefaultRank, Targets: []string{}, Optimizer: AdamW, Weights: Mixed, Sharding: Auto,
		Sequence: DefaultSequence, Checkpointing: WhereNeeded}
}

// Again reports whether activations are computed again; left open, they are.
func (t Tuning) Again() bool { return t.Checkpointing != Never }

// By is the same by another method.
func (t Tuning) By(m Method) Tuning {
	if t.Method = m; t.Rank == 0 {
		t.Rank = DefaultRank
	}
	return t
}

// AllTargets are the names of the matrices of a layer, which LoRA targets where nothing
// else is said.
func AllTargets() (names []string) {
	for _, m := range (Architecture{}).Matrices() {
		names = append(names, m.Name)
	}
	return names
}

// Bounds of what may be asked: no GPU holds more.
const (
	mostRank     = 4096
	mostSequence = 1 << 24
)

// Check says in a sentence what cannot be asked, and what to write instead; nil where all
// can. Messages begin with the name of the flag.
func (t Tuning) Check() error {
	for _, err := range []error{
		oneOf("tuning", t.Method, Methods...),
		oneOf("optimizer", t.Optimizer, Optimizers...),
		oneOf("weights-in", t.Weights, WeightsIn...),
		oneOf("sharding", t.Sharding, Shardings...),
		oneOf("checkpointing", t.Checkpointing, Checkpointings...),
	} {
		if err != nil {
			return err
		}
	}
	switch {
	case t.Sequence < 1 || t.Sequence > mostSequence:
		return fmt.Errorf("sequence %d: write a number of tokens from 1 to %d", t.Sequence, mostSequence)
	case t.Method == Full && len(t.Targets) > 0:
		return fmt.Errorf("lora-targets: a full fine-tune has none; add --tuning lora")
	case t.Method != Full && (t.Rank < 1 || t.Rank > mostRank):
		return fmt.Errorf("lora-rank %d: write a whole number from 1 to %d", t.Rank, mostRank)
	}
	for _, name := range t.Targets {
		if err := oneOf("lora-targets", name, AllTargets()...); err != nil {
			return err
		}
	}
	return nil
}

func oneOf[T ~string](what string, value T, of ...T) error {
	if slices.Contains(of, value) {
		return nil
	}
	words := make([]string, len(of))
	for i, v := range of {
		words[i] = string(v)
	}
	return fmt.Errorf("%s %q is not one of %s", what, string(value), strings.Join(words, ", "))
}

// Targeted reports whether LoRA has matrices beside one.
func (t Tuning) Targeted(m Matrix) bool {
	return t.Method != Full && (len(t.Targets) == 0 || slices.Contains(t.Targets, m.Name))
}

// Trainable is the number of parameters that learn: all, or rank × (in + out) for each
// targeted matrix (Hu et al. 2021, LoRA, section 4.1).
func (t Tuning) Trainable(a Architecture) (n float64) {
	if t.Method == Full {
		return a.Params().Total()
	}
	for _, m := range a.Matrices() {
		if t.Targeted(m) {
			n += float64(a.Layers) * float64(a.copies(m)) * float64(t.Rank) * float64(m.In+m.Out)
		}
	}
	return n
}

// FLOPs are the operations that a token takes in training, forward and backward. A
// backward pass takes as many as the forward pass for the gradients of the activations,
// and as many again for those of the weights that learn, so that full tuning takes 6 for
// each parameter (Kaplan et al. 2020, section 2.1) and LoRA 4. Checkpointing adds another
// forward pass of the layers.
func (t Tuning) FLOPs(a Architecture) float64 {
	layers, head := a.Active()
	attention := a.AttentionFLOPs(t.Sequence)
	passes, again := 2.0, 0.0
	if t.Method == Full {
		passes = 3
	}
	if t.Again() {
		again = 1
	}
	all := 2*(layers*(passes+again)+head*passes) + attention*(3+again)
	if t.Method != Full {
		all += 2 * t.Trainable(a) / float64(max(a.Experts, 1)) * float64(max(a.ExpertsOfToken, 1)) * (3 + again)
	}
	return all
}

// Words name the way: "LoRA rank 16, AdamW".
func (t Tuning) Words() string {
	names := map[Method]string{Full: "full", LoRA: "LoRA", QLoRA: "QLoRA"}
	words := cmp.Or(names[t.Method], string(t.Method))
	if t.Method != Full {
		words += fmt.Sprintf(" rank %d", t.Rank)
	}
	return words
}
