package training

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// What may come at the ends of a script's epochs is allowed for until one was seen.
func TestEndsOfEpochsThatWereNotSeen(t *testing.T) {
	half := profile.Run{
		Mode: profile.Train, Basis: estimate.Measured, Command: []string{"python3", "train.py"}, InitS: new(5.0),
		FirstIterationS: new(1.0), Steady: estimate.Around(0.1, 0.001, estimate.Measured), SteadyN: 50,
		IterationsPerEpoch: new(100.0), Epochs: new(3.0), EpochStartsS: []float64{5},
	}
	seen := half
	seen.ValidationS = new(0.0)
	for n, more := range map[float64]float64{3: 9, 1: 3, 0.5: 0} { // 0.3 of ten seconds an epoch
		got, want := Training(half, n, nil), Training(seen, n, nil)
		if got.Value != want.Value || got.Low != want.Low || math.Abs(got.High-want.High-more) > 1e-9 {
			t.Errorf("%g epochs: %v, with the ends seen %v", n, got, want)
		}
	}
	stopped := half
	stopped.SteadyN = 99 // at the last step of an epoch, before what comes at its end
	for _, r := range []profile.Run{half, stopped} {
		if words := PausesOf(r).Words(3); !strings.Contains(words, "may add up to 30 %") {
			t.Error(words)
		}
	}
	if even := Training(AsIfEven(half), 3, nil); even != Training(seen, 3, nil) {
		t.Errorf("as if nothing came there: %v", even)
	}
	for name, alter := range map[string]func(*profile.Run){
		"a second epoch":      func(r *profile.Run) { r.EpochStartsS = []float64{5, 15} },
		"one iteration more":  func(r *profile.Run) { r.SteadyN = 100 },
		"a first validation":  func(r *profile.Run) { r.FirstValidationS = new(2.0) },
		"a model, not script": func(r *profile.Run) { r.Command = []string{"sweetspot", "probe", "--model=net"} },
		"no command known":    func(r *profile.Run) { r.Command = nil },
		"a count of steps":    func(r *profile.Run) { r.Steps = new(300.0) },
		"a checkpoint at its end": func(r *profile.Run) {
			r.Pauses = []profile.Pause{{AtS: 15.5, Seconds: 0.5, Kind: "checkpoint", Iterations: new(100)}}
		},
		"published": func(r *profile.Run) { r.Basis = estimate.Published },
		"its own end": func(r *profile.Run) {
			r.Status, r.TotalS, r.Epochs = profile.Done, new(12.0), new(0.5)
		},
	} {
		r := half
		if alter(&r); EndsUnseen(r) || strings.Contains(PausesOf(r).Words(3), "may add") {
			t.Errorf("%s: unseen, %q", name, PausesOf(r).Words(3))
		}
	}
}
