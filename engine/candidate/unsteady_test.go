package candidate_test

import (
	"strings"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Images grow every second epoch. The run that shows it to the end took what it took,
// and tells of another machine, where two epochs were watched, that they are not all.
func TestEpochsOfAScheduleAreNotMultiplied(t *testing.T) {
	watched := func(vm string, epoch float64, epochs int) profile.Run {
		r := steadily(train(256, vm), 5, epoch/100, 100) // of the first images
		at := 5.0
		for e := range epochs {
			r.EpochStartsS = append(r.EpochStartsS, at)
			at += epoch * float64(int(1)<<(e/2))
		}
		r.Epochs = new(6.0)
		return r
	}
	whole := watched("p2", 100, 6)
	whole.TotalS = new(5 + 1400.0)
	w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(6.0), Purchase: profile.OnDemand}
	if c := only(t, runs(whole), w); c.Time.Value != 1405 || !strings.Contains(c.Why, "not equal work") {
		t.Errorf("the whole run: %+v, %q", c.Time, c.Why)
	}
	began := watched("p3", 50, 3)
	if c := only(t, runs(began), w); c.Time.Value > 310 {
		t.Errorf("where nothing shows the schedule: %+v", c.Time)
	}
	cs := build(runs(whole, began), w)
	if len(cs) != 2 {
		t.Fatalf("%d candidates", len(cs))
	}
	for _, c := range cs {
		if c.Configuration[0].VM.InstanceType != "p3" {
			continue
		}
		if c.Time.Value < 400 || c.Time.Low > 705 || c.Time.High < 705 || !c.FromEpochs ||
			!strings.Contains(c.Why, "not equal work") {
			t.Errorf("%+v, want 705 s; %q", c.Time, c.Why)
		}
	}
	if c := only(t, runs(whole), question.Workload{Mode: profile.Train, Epochs: new(1.0)}); !c.Time.Known() {
		t.Error("nothing is known of one epoch")
	}
}

// Whether a training goes on as it began is as unknown on one VM type as on another:
// it does not blur which is faster, and is said.
func TestUnsteadinessIsShared(t *testing.T) {
	began := func(vm string, epoch float64) profile.Run {
		r := train(256, vm)
		r.EpochStartsS = []float64{5, 5 + 1.3*epoch, 5 + 2.3*epoch}
		return r
	}
	set := runs(began("p2", 100), began("p3", 50))
	cs := build(set, question.Workload{Model: "net", Mode: profile.Train, Epochs: new(40.0), Purchase: profile.OnDemand})
	if len(cs) != 2 {
		t.Fatalf("%d candidates", len(cs))
	}
	for _, c := range cs {
		if len(c.Errors) != 2 || c.Errors[0].Sigma > 0.1 || c.Errors[1].Sigma < 0.05 ||
			c.Errors[1].Cell != cs[0].Errors[1].Cell {
			t.Errorf("errors %+v of %+v", c.Errors, c.Time)
		}
		if c.Probe.Sigma != c.Errors[0].Sigma || !strings.Contains(c.Why, "first epoch took 1.3 times") ||
			c.Time.HalfWidth() < 0.15 {
			t.Errorf("%q: %+v, a probe tells %g", c.Why, c.Time, c.Probe.Sigma)
		}
	}
}

// A schedule that a script's text shows is said, widens the time, and makes it as unsure on
// all VM types, on one that nothing was run on as well.
func TestAScheduleIsSaid(t *testing.T) {
	const schedule = "its work changes with the epoch: size = 16 if epoch < 8 else 32 (line 6)"
	began := func(vm string, seconds float64) profile.Run {
		r := train(256, vm)
		r.Steady, r.SteadyN = estimate.Around(seconds, seconds/100, estimate.Measured), 200
		r.IterationsPerEpoch, r.Status, r.Schedule = new(100.0), profile.Interrupted, schedule
		return r
	}
	w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(40.0), Purchase: profile.OnDemand}
	for _, c := range withUnprobed(t, w, began("p2", 0.2), began("p3", 0.1)) {
		if !strings.HasPrefix(c.Why, schedule) || c.Schedule != schedule || c.Time.HalfWidth() < 0.5 || len(c.Errors) != 2 ||
			c.Errors[0].Sigma > withGuess(c, 0.1) || c.Errors[1].Sigma < 0.3 {
			t.Errorf("%q: %+v, errors %+v", c.Why, c.Time, c.Errors)
		}
	}
}

// withUnprobed are the candidates of two runs and of a VM type that nothing was run on.
func withUnprobed(t *testing.T, w question.Workload, measured ...profile.Run) []candidate.Candidate {
	t.Helper()
	set := runs(measured...)
	set.VMTypes = []profile.VMType{vm("unprobed", "V100", 1, 1)}
	cs := predict(set, w, guess{0.1})
	if len(cs) != 3 || !cs[2].IsPredicted() {
		t.Fatalf("%d candidates", len(cs))
	}
	return cs
}

// withGuess adds to what a candidate's own time may be off by what the guess of it may be.
func withGuess(c candidate.Candidate, own float64) float64 {
	if c.IsPredicted() {
		own += estimate.Spread(1, 1, estimate.Spec).LogSigma()
	}
	return own
}

// What may come at the ends of epochs that were not seen comes on all VM types alike, on one
// that nothing was run on as well.
func TestUnseenEndsOfEpochsAreShared(t *testing.T) {
	began := func(vm string, step float64) profile.Run { // 61 of the 1,000 steps of an epoch
		r := steadily(train(256, vm), 5, step, 1000)
		r.SteadyN, r.Epochs, r.Command = 60, new(4.0), []string{"python3", "train.py"}
		return r
	}
	w := question.Workload{Model: "net", Mode: profile.Train, Purchase: profile.OnDemand}
	for _, c := range withUnprobed(t, w, began("p2", 0.1), began("p3", 0.05)) {
		if len(c.Errors) != 2 || c.Errors[0].Sigma > withGuess(c, 0.05) || c.Errors[1].Sigma < 0.05 ||
			c.Time.High < 1.29*c.Time.Value || !strings.Contains(c.Why, "not one epoch was seen to its end") {
			t.Errorf("errors %+v of %+v, %q", c.Errors, c.Time, c.Why)
		}
	}
}
