package roofline

import (
	"math"
	"slices"

	"sweetspot/engine/profile"
)

// witnesses is how many other boards of a generation must show what it does per watt: one
// may be the odd one itself.
const witnesses = 2

// KeptClocks is the GPUs with a higher base clock where at the published one a board would
// do less per watt than every other one of its generation does at theirs. Power is not
// what sets such a clock: it is a floor, as for boards that many share, and not what a
// load gets. The board is taken to do as much as the least of the others, up to its highest
// clock. The given GPUs stay as they are.
func KeptClocks(gpus []profile.GPUSpec) []profile.GPUSpec {
	out := slices.Clone(gpus)
	for i, g := range gpus {
		own, known := promised(g)
		if !known {
			continue
		}
		least, others := math.Inf(1), 0
		for k, other := range gpus {
			if p, known := promised(other); known && k != i && ofOneKind(g, other) {
				least, others = math.Min(least, p), others+1
			}
		}
		if others >= witnesses && least > own {
			out[i].BaseMHz = new(math.Min(*g.BaseMHz*least/own, *g.BoostMHz))
		}
	}
	return out
}

// promised is the TFLOPS in full precision per watt at the base clock.
func promised(g profile.GPUSpec) (perWatt float64, known bool) {
	if g.FP32TFLOPS == nil || g.TDPWatts == nil || g.BaseMHz == nil || g.BoostMHz == nil || *g.BaseMHz > *g.BoostMHz {
		return 0, false
	}
	return *g.FP32TFLOPS * *g.BaseMHz / *g.BoostMHz / *g.TDPWatts, true
}

// ofOneKind reports whether two GPUs are of one generation, with lanes of one kind: an
// A100's are others than an RTX 3090's.
func ofOneKind(a, b profile.GPUSpec) bool {
	return a.Architecture != "" && a.Architecture == b.Architecture &&
		(a.OwnFP32TFLOPS == nil) == (b.OwnFP32TFLOPS == nil)
}
