package training

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// A training that counts steps takes as long as they do, with what comes between them as often as
// it was seen: of data of a known size, and of a stream, which has no epochs.
func TestInEpochs(t *testing.T) {
	counted := func(per, size *float64) profile.Run {
		return profile.Run{Mode: profile.Train, BatchSize: 64, Steps: new(10000.0), IterationsPerEpoch: per, TrainSize: size,
			Steady: estimate.Exact(0.01, estimate.Measured), SteadyN: 2000, WarmupIterations: new(0),
			FirstValidationS: new(2.0), ValidationS: new(2.0), Basis: estimate.Measured,
			Validations: []profile.Validation{
				{Seconds: 2, AtS: new(7.0), Iterations: new(500)}, {Seconds: 2, AtS: new(14.0), Iterations: new(1000)},
				{Seconds: 2, AtS: new(21.0), Iterations: new(1500)}, {Seconds: 2, AtS: new(28.0), Iterations: new(2000)},
				{Epoch: 1, Metric: "printed"},
			}}
	}
	for name, c := range map[string]struct {
		run                   profile.Run
		epochs, perEpoch, all float64
	}{
		"of a known size": {counted(new(800.0), new(51200.0)), 12.5, 800, 51200},
		"of a stream":     {counted(nil, nil), 1, 10000, 640000},
	} {
		r := InEpochs(c.run)
		if *r.Epochs != c.epochs || *r.IterationsPerEpoch != c.perEpoch || *r.TrainSize != c.all {
			t.Errorf("%s: %g epochs of %g iterations, %g units", name, *r.Epochs, *r.IterationsPerEpoch, *r.TrainSize)
		}
		got := Training(r, *r.Epochs, nil)
		if want := 10000*0.01 + 20*2.0; math.Abs(got.Value-want) > 2.1 || len(r.Validations) != 5 {
			t.Errorf("%s: %g s, want %g with a validation every 500 steps", name, got.Value, want)
		}
		if again := InEpochs(r); len(again.Pauses) != len(r.Pauses) || *again.Epochs != *r.Epochs {
			t.Errorf("%s: twice %+v", name, again)
		}
		half := Resized(r, *r.TrainSize/2) // half as many units in an epoch
		if *half.Epochs != 2*c.epochs || *half.IterationsPerEpoch != c.perEpoch/2 {
			t.Errorf("%s: resized %g epochs of %g", name, *half.Epochs, *half.IterationsPerEpoch)
		}
	}
	unknown := counted(nil, nil)
	unknown.BatchSize = 0
	if r := InEpochs(unknown); r.TrainSize != nil || *r.Epochs != 1 {
		t.Errorf("without a batch size: %+v", r)
	}
	epochs := counted(new(800.0), new(51200.0))
	epochs.Epochs, epochs.Steps = new(3.0), nil
	if r := InEpochs(epochs); *r.Epochs != 3 || r.ValidationS == nil || r.Pauses != nil {
		t.Errorf("one that counts epochs: %+v", r)
	}
}
