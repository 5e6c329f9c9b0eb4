package candidate_test

import (
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func train(batch int, vm string) profile.Run {
	return profile.Run{
		Model: "net", Mode: profile.Train, Cloud: "aws", Region: "r", InstanceType: vm, GPU: "K80", GPUCount: 1, Count: 1,
		BatchSize: batch, Basis: estimate.Measured, Status: profile.Done,
	}
}

func infer(batch, gpus int, seconds float64) profile.Run {
	r := train(batch, "p2")
	r.Mode, r.GPUCount = profile.Infer, gpus
	r.Steady = estimate.Spread(seconds, 0.1, estimate.Measured)
	return r
}

// steadily gives a training run what method 2 needs.
func steadily(r profile.Run, startup, iteration, perEpoch float64) profile.Run {
	r.StartupS, r.IterationsPerEpoch = &startup, &perEpoch
	r.Steady = estimate.Spread(iteration, 0.05, r.Basis)
	return r
}
