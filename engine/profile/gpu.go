package profile

import (
	"slices"
	"strings"
)

// GPUSpec holds the published figures of a GPU: dense ones, without sparsity, of one
// die where a board holds several. Nil is not published or not known.
type GPUSpec struct {
	Name         string
	FP32TFLOPS   *float64
	TF32TFLOPS   *float64
	FP16TFLOPS   *float64 // FP16 and BF16 with FP32 sums, in tensor cores where there are any
	INT8TOPS     *float64
	MemoryGB     *float64
	BandwidthGBs *float64 // of its memory, GB/s
	TDPWatts     *float64
	Source, AsOf string
}

// GPUSpec finds the figures of a GPU by its name in a catalog or as its driver
// gives it: "A100-SXM4-40GB", "NVIDIA A100 80GB PCIe", "a100". Of several that
// are of the same chip the one with most in common is taken, of equals the
// first of the list.
func (s *Set) GPUSpec(name string) (GPUSpec, bool) {
	words := gpuWords(name)
	best, shared := -1, 0
	for i, g := range s.GPUs {
		own := gpuWords(g.Name)
		if len(own) == 0 || !slices.Contains(words, own[0]) {
			continue
		}
		n := 0
		for _, w := range own {
			if slices.Contains(words, w) {
				n++
			}
		}
		if n > shared {
			best, shared = i, n
		}
	}
	if best < 0 {
		return GPUSpec{}, false
	}
	return s.GPUs[best], true
}

// gpuWords are the words of a GPU's name without its maker and series, the one
// that tells the chip first. What makes another chip of the same number, as the
// 4090 Laptop, is part of its word.
func gpuWords(name string) []string {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool {
		return r == ' ' || r == '-' ||
			r == '_' || r == '/'
	})
	var out []string
	for _, w := range words {
		switch w {
		case "NVIDIA", "TESLA", "GEFORCE", "QUADRO", "RTX", "GTX", "AMD", "INSTINCT":
		case "TI", "SUPER", "LAPTOP", "ADA", "D":
			if n := len(out); n > 0 {
				out[n-1] += w
			}
		default:
			out = append(out, w)
		}
	}
	return out
}
