package training

import (
	"fmt"
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// mostAtEnds is the most, as a fraction of the iterations' time, that is allowed for
// validations and checkpoints at the ends of epochs where none was seen: nine of ten of 22
// public training scripts had less, run on CPUs on their own data or made-up data of its
// shape (0 to 0.83, median 0.13).
const mostAtEnds = 0.3

// UnseenEnds is the reason for that.
var UnseenEnds = fmt.Sprintf("not one epoch was seen to its end: validations and checkpoints there may add up to "+
	"%.0f %%", 100*mostAtEnds)

// EndsUnseen reports whether of the training of a script, as it was measured, no epoch was
// seen to its end, so that what comes there is unknown.
func EndsUnseen(r profile.Run) bool { return PausesOf(r).unseen }

// endsUnseen is that of a training of which the pauses after so many iterations are known.
func endsUnseen(r profile.Run, known float64) bool {
	return r.Mode == profile.Train && r.Basis == estimate.Measured && r.OfScript() && r.Steps == nil &&
		r.FirstValidationS == nil && r.ValidationS == nil && len(r.EpochStartsS) < 2 && !isWhole(r) &&
		known > 0 && known < *r.IterationsPerEpoch
}

// WithUnseenEnds allows, in an estimate of n epochs of a training, for what may come at
// their ends.
func WithUnseenEnds(r profile.Run, n float64, e estimate.Estimate) estimate.Estimate {
	if e.Known() {
		e.High += mostAtEnds * math.Floor(n) * *r.IterationsPerEpoch * r.Steady.Value
	}
	return e
}
