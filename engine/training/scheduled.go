package training

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// scheduled turns an estimate of n epochs of a training whose steps are unequal work by a
// schedule into one of that work, where the sizes it goes through are known. Where they are
// not it is widened: what is left after its start-up may turn out as published unsteady
// trainings did. One that was seen to its end had its schedule.
func scheduled(r profile.Run, n float64, e estimate.Estimate) estimate.Estimate {
	if r.Schedule == "" || !e.Known() || isWhole(r) && n == *r.Epochs {
		return e
	}
	if parts := stretchesOf(r, n); parts != nil {
		low, likely, high := sized(r, parts)
		even := n * *r.IterationsPerEpoch
		step := r.Steady.Value
		grown := withIntervalOf(e, e.Value+(likely-even)*step)
		e = grown.Plus(estimate.Estimate{Low: (low - likely) * step, High: (high - likely) * step, Basis: e.Basis})
		e.Low = math.Max(0, e.Low)
		return e
	}
	once, _ := r.OneOff()
	rest := math.Max(0, e.Value-once)
	e.Low = math.Min(e.Low, e.Value-rest+rest*math.Exp(-PublishedUnsteadiness.Faster.reach(0, 1)))
	e.High = math.Max(e.High, e.Value-rest+rest*math.Exp(PublishedUnsteadiness.Slower.reach(0, 1)))
	return e
}

// AsIfEven is the run as it is where its steps are equal work after all, and nothing comes
// at the ends of its epochs that was not seen.
func AsIfEven(r profile.Run) profile.Run {
	if r.Schedule = ""; EndsUnseen(r) {
		r.ValidationS = new(0.0)
	}
	return r
}
