package candidate

import (
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// A training that ran on one and on two GPUs says how it goes on four and eight; what ran
// with another batch, on another GPU or under a lowered power limit says nothing of it.
func TestScalingOfACandidate(t *testing.T) {
	run := func(id int64, gpu string, gpus, vms, batch int, seconds float64) profile.Run {
		return profile.Run{ID: id, Model: "m", Mode: profile.Train, Cloud: "c", InstanceType: gpu, GPU: gpu, GPUCount: gpus,
			Count: vms, BatchSize: batch, Steady: estimate.Spread(seconds, 0.01, estimate.Measured), Basis: estimate.Measured,
			IterationsPerEpoch: new(100.0), Epochs: new(2.0), InitS: new(5.0), FirstIterationS: new(1.0)}
	}
	limited := run(5, "V100", 8, 1, 64, 9)
	limited.PowerLimitW = new(100.0)
	set := &profile.Set{Models: []profile.Model{{Name: "m"}}, Runs: []profile.Run{
		run(1, "V100", 1, 1, 64, 1), run(2, "V100", 1, 2, 64, 0.53), run(3, "V100", 4, 1, 512, 1),
		run(4, "T4", 8, 1, 64, 3), limited,
	}}
	l := NewList(set, question.Workload{Model: "m", Mode: profile.Train}, nil, nil)
	found := 0
	for i := range l.Len() {
		c := l.At(i)
		if c.BatchSize != 64 || c.Configuration[0].VM.GPU != "V100" || len(c.Configuration) != 1 || c.Sources[0] == 5 {
			if len(c.Scaling) != 0 && c.Sources[0] != 5 {
				t.Errorf("%s: %+v", c.ID, c.Scaling)
			}
			continue
		}
		found++
		if len(c.Scaling) != 4 {
			t.Fatalf("%s: %+v", c.ID, c.Scaling)
		}
		for k, want := range []struct {
			workers   int
			predicted bool
			low, high float64 // of the efficiency
		}{{1, false, 1, 1}, {2, false, 0.94, 0.95}, {4, true, 0.8, 0.9}, {8, true, 0.65, 0.85}} {
			if s := c.Scaling[k]; s.Workers != want.workers || s.Predicted != want.predicted || s.Batch != 64 ||
				s.Efficiency.Value < want.low || s.Efficiency.Value > want.high || s.Efficiency.Low > s.Efficiency.Value {
				t.Errorf("%d workers: %+v", want.workers, s)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d candidates on V100s", found)
	}
}
