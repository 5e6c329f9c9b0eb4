package roofline

import (
	"math"

	"sweetspot/engine/profile"
)

const (
	// floatShare is the part of their instructions that GPUs do in floating point where
	// integers take turns with it: 36 to 100 on average, for addresses and loops (NVIDIA
	// Turing GPU architecture white paper, 2018). From Volta on integers have lanes of
	// their own.
	floatShare = 100.0 / 136
	// keplerIssue is the part of Kepler's lanes that its schedulers feed with one
	// instruction each: four of 32 for 192 lanes. The rest needs pairs of instructions
	// that do not wait for each other (NVIDIA GK110 white paper, 2012).
	keplerIssue = 4.0 * 32 / 192
)

// fed is the part of the peak in full precision that an architecture's instructions leave
// to floating point; others reach all of it.
var fed = map[string]float64{"Kepler": floatShare * keplerIssue, "Maxwell": floatShare, "Pascal": floatShare}

// Sustained is the TFLOPS that a GPU may keep up in a precision, where [Peak] is what it
// does for a moment: at a clock between the one that it keeps under any load and that of
// the peak, and with the instructions that are no arithmetic of the network's. tensor is
// Peak's. Unknown figures change nothing.
func Sustained(g profile.GPUSpec, precision string) (tflops *float64, tensor bool) {
	tflops, tensor = Peak(g, precision)
	if tflops == nil {
		return nil, tensor
	}
	kept := *tflops
	if g.BaseMHz != nil && g.BoostMHz != nil && *g.BaseMHz < *g.BoostMHz {
		kept *= math.Sqrt(*g.BaseMHz / *g.BoostMHz)
	}
	if part, known := fed[g.Architecture]; known && !tensor {
		kept *= part
	}
	return &kept, tensor
}
