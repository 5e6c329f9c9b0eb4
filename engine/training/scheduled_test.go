package training

import (
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// A training whose steps are unequal work takes what such trainings took, unless it was
// seen to its end.
func TestAScheduleWidensTheTotal(t *testing.T) {
	r := profile.Run{
		Mode: profile.Train, Basis: estimate.Measured, Status: profile.Interrupted, InitS: new(5.0),
		FirstIterationS: new(1.0),
		Steady:          estimate.Around(0.1, 0.001, estimate.Measured), SteadyN: 200, IterationsPerEpoch: new(100.0),
		Epochs: new(12.0),
	}
	even := Training(r, 12, nil)
	r.Schedule = "its work changes with the epoch: size = 16 if epoch < 8 else 32 (line 6)"
	got := Training(r, 12, nil)
	later := even.Value + 4*100*0.1*3 // four times the work in the last four epochs
	if got.Value != even.Value || got.High < later || got.Low < 6 || got.Low > 0.6*even.Value {
		t.Errorf("%v, of equal steps %v, takes %g", got, even, later)
	}
	if back := Training(AsIfEven(r), 12, nil); back != even {
		t.Errorf("%v as if even, want %v", back, even)
	}
	r.Status, r.TotalS = profile.Done, new(later)
	if whole := Training(r, 12, nil); whole.Value != later || whole.HalfWidth() > 0.06 {
		t.Errorf("seen to its end: %v", whole)
	}
	if longer := Training(r, 24, nil); longer.High < 2*later || longer.HalfWidth() < 0.5 {
		t.Errorf("twice as long: %v", longer)
	}
	r.TotalS = nil
	if elsewhere := Predicted(r, 12, estimate.Estimate{}, Pauses{}); elsewhere.High < later {
		t.Errorf("on another machine: %v", elsewhere)
	}
}
