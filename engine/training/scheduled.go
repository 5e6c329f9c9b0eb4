package training

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// scheduled widens an estimate of n epochs of a training whose steps are unequal work by a
// schedule: what is left after its start-up may turn out as published unsteady trainings did.
// One that was seen to its end had its schedule.
func scheduled(r profile.Run, n float64, e estimate.Estimate) estimate.Estimate {
	if r.Schedule == "" || !e.Known() || isWhole(r) && n == *r.Epochs {
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
