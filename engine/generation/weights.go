package generation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/memory"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Weights is how the matrices of a network's layers are kept.
type Weights struct {
	Name  string  // "" is 16 bits, as published
	Bytes float64 // of a parameter in a layer's matrix, with its scales
	// Faster is by how much the arithmetic is faster than in 16 bits.
	Faster float64
	// Unpacked are those of which each step makes matrices of 16 bits before it multiplies.
	Unpacked bool
}

// The kinds of weights. fp8 and int8 are those of W8A8, whose arithmetic is in 8 bits too. int4 has a scale
// of 16 bits and a zero of 4 for each 128, as GPTQ and AWQ keep them, and is computed with in 16 bits. nf4 is
// that of bitsandbytes with double quantisation.
var (
	Half = Weights{Name: "", Bytes: 2, Faster: 1}
	FP8  = Weights{Name: "fp8", Bytes: 1, Faster: 2}
	Int8 = Weights{Name: "int8", Bytes: 1, Faster: 2}
	Int4 = Weights{Name: "int4", Bytes: 0.5 + 2.5/128, Faster: 1}
	NF4  = Weights{Name: "nf4", Bytes: memory.NF4Double, Faster: 1, Unpacked: true}
)

// AllWeights are all kinds.
var AllWeights = []Weights{Half, FP8, Int8, Int4, NF4}

// otherNames of kinds, as cards of models and servers' flags write them.
var otherNames = map[string]Weights{
	profile.Variant{}.Title(): Half, "bf16": Half, "fp16": Half, "bfloat16": Half, "float16": Half, "half": Half,
	"w4a16": Int4, "gptq": Int4, "awq": Int4, "4-bit": Int4, "4bit": Int4, "bitsandbytes": NF4, "bnb": NF4,
}

// WeightsNamed are those of a name, whatever its case; ok is false where it is of none.
func WeightsNamed(name string) (w Weights, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if w, ok = otherNames[name]; ok {
		return w, true
	}
	k := slices.IndexFunc(AllWeights, func(w Weights) bool { return w.Name == name })
	if k < 0 {
		return w, false
	}
	return AllWeights[k], true
}

// ParseWeights reads what a server's weights are kept in.
func ParseWeights(name string) (Weights, error) {
	w, ok := WeightsNamed(name)
	if !ok || strings.TrimSpace(name) == "" {
		return w, fmt.Errorf("%s is no precision of a server's weights: write bf16, fp8, int8, int4 (GPTQ, AWQ) or nf4 "+
			"(bitsandbytes)", plaintext.Quote(name))
	}
	return w, nil
}

// Is reports whether a name is one of these weights.
func (w Weights) Is(name string) bool {
	of, ok := WeightsNamed(name)
	return ok && of == w
}

// Same reports whether a variant, as a run has it, is of these weights.
func (w Weights) Same(v profile.Variant) bool { return w.Is(cmp.Or(v.Name, v.Precision)) }

// computedOn are the architectures of GPUs that compute in 8 bits, by vLLM's table of what its kernels
// run on; those of bitsandbytes run on NVIDIA's GPUs alone.
var computedOn = map[Weights][]string{FP8: {"Ada", "Hopper", "Blackwell", "CDNA3"},
	Int8: {"Turing", "Ampere", "Ada", "Hopper"}, NF4: {"Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell"}}

// On reports whether a GPU computes with such weights.
func (w Weights) On(g profile.GPUSpec) bool {
	on, some := computedOn[w]
	return !some || slices.Contains(on, g.Architecture)
}
