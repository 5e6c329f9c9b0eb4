package roofline

import (
	"math"
	"slices"

	"sweetspot/engine/profile"
)

// leastOthers is how many other boards of a generation show what it does per watt, at least: a
// single one may itself be the odd one.
const leastOthers = 2

// SustainedClocks returns the GPUs with base clocks, in MHz, that they keep up under load. A published base
// clock at which a board would do less per watt than every other board of its generation is not believed: what
// boards shared by several users list is a floor. Such a board is taken to do as much per watt as the least
// of the others, up to its boost clock. The given GPUs stay as they are.
func SustainedClocks(gpus []profile.GPUSpec) []profile.GPUSpec {
	out := slices.Clone(gpus)
	for i, g := range gpus {
		own, known := perWattAtBase(g)
		if !known {
			continue
		}
		least, others := math.Inf(1), 0
		for k, other := range gpus {
			if p, known := perWattAtBase(other); known && k != i && ofOneKind(g, other) {
				least, others = math.Min(least, p), others+1
			}
		}
		if others >= leastOthers && least > own {
			out[i].BaseMHz = new(math.Min(*g.BaseMHz*least/own, *g.BoostMHz))
		}
	}
	return out
}

// perWattAtBase is a board's FP32 TFLOPS per watt of its design power at the base clock.
func perWattAtBase(g profile.GPUSpec) (perWatt float64, known bool) {
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
