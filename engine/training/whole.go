package training

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// isWhole reports whether a probe saw the training to its own end, so that its length in
// seconds is known with all that came before, between and after the iterations.
func isWhole(r profile.Run) bool {
	return r.Mode == profile.Train && r.Basis == estimate.Measured && r.Status == profile.Done && r.TotalS != nil &&
		r.Epochs != nil && *r.Epochs > 0 && r.IterationsPerEpoch != nil
}

// fromWhole estimates n epochs of a training that was seen to its end, given what the
// iterations make of n and of its own epochs; either may be unknown. Its own length is as
// it was. What it took beyond its iterations, as its exit, comes once in any other length;
// half of that may come by epochs all the same.
func fromWhole(r profile.Run, n float64, at, own, iteration estimate.Estimate) estimate.Estimate {
	total := estimate.Spread(*r.TotalS, OneTotalRel, r.Basis)
	if n == *r.Epochs {
		return total
	}
	if !at.Known() || !(own.Value > 0) {
		return estimate.Estimate{}
	}
	value, beyond := at.Value**r.TotalS/own.Value, 0.0
	if beyond = *r.TotalS - own.Value; beyond > 0 {
		value = at.Value + beyond
	}
	beyond = oneOffRel * math.Abs(beyond) * math.Abs(n / *r.Epochs - 1)
	e := withIntervalOf(total, math.Min(value, *r.TotalS))
	if value > *r.TotalS {
		e = e.Plus(withIntervalOf(iteration, value-*r.TotalS))
	}
	e = e.Plus(estimate.Estimate{Low: -beyond, High: beyond, Basis: r.Basis})
	e.Low = math.Max(e.Low, 0)
	return e
}

// throughWhole is the line moved to the length that a training was seen to have.
func throughWhole(l Line, r profile.Run) Line {
	if beyond := *r.TotalS - l.At(*r.Epochs); beyond > 0 {
		return Line{At0: l.At0 + beyond, Slope: l.Slope}
	}
	k := *r.TotalS / l.At(*r.Epochs)
	return Line{At0: l.At0 * k, Slope: l.Slope * k}
}
