package training

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// whole is a training of 10 epochs of 20 iterations of 0.1 s, with 2 s before and 3 s after them.
func whole() profile.Run {
	return profile.Run{
		Mode: profile.Train, Status: profile.Done, Basis: estimate.Measured, InitS: new(1.9), FirstIterationS: new(0.1),
		Steady: estimate.Around(0.1, 0.001, estimate.Measured), SteadyN: 150, IterationsPerEpoch: new(20.0),
		Epochs: new(10.0), TotalS: new(24.9),
	}
}

func TestATrainingSeenToItsEndTakesWhatItTook(t *testing.T) {
	r := whole()
	e := Training(r, 10, nil)
	if e.Value != 24.9 || e.High > 24.9*1.051 || e.Low < 24.9/1.051 {
		t.Errorf("its own length: %+v", e)
	}
	l, ok := StraightLine(r, nil)
	if !ok || math.Abs(l.At(10)-24.9) > 1e-9 {
		t.Errorf("the line is %g s at its own length", l.At(10))
	}
	twice := Training(r, 20, nil)
	if math.Abs(twice.Value-(24.9+20)) > 1e-9 { // the exit comes once
		t.Errorf("twice as long: %+v", twice)
	}
	if twice.High < 24.9+20+1.5 || twice.Low > 24.9+20-1.5 { // which is not known
		t.Errorf("twice as long, half of what came once: %+v", twice)
	}
	r.Steady, r.SteadyN = estimate.Estimate{}, 0 // too few steps for a mean
	if e := Training(r, 10, nil); e.Value != 24.9 {
		t.Errorf("without a steady iteration: %+v", e)
	}
	if e := Training(r, 11, nil); e.Known() {
		t.Errorf("another length without a steady iteration: %+v", e)
	}
}

func TestOnlyAWholeMeasuredTrainingTellsItsLength(t *testing.T) {
	for name, change := range map[string]func(*profile.Run){
		"stopped":   func(r *profile.Run) { r.TotalS = nil },
		"failed":    func(r *profile.Run) { r.Status = profile.Failed },
		"published": func(r *profile.Run) { r.Basis = estimate.Published },
	} {
		r := whole()
		change(&r)
		if e := Training(r, 10, nil); math.Abs(e.Value-21.9) > 1e-9 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// Around its own length nothing jumps, longer trainings take longer, and none less than nothing.
func TestAWholeTrainingIsContinuous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := whole()
		r.TotalS = new(rapid.Float64Range(1, 100).Draw(t, "total"))
		n := rapid.Float64Range(0.1, 100).Draw(t, "epochs")
		a, b := Training(r, n, nil), Training(r, n*1.0001, nil)
		if !(a.Low >= 0) || a.Low > a.Value || a.High < a.Value || b.Value < a.Value {
			t.Fatalf("%g epochs: %+v, then %+v", n, a, b)
		}
		if near := Training(r, 10.0001, nil); math.Abs(near.Value / *r.TotalS - 1) > 0.001 || near.High > *r.TotalS*1.06 {
			t.Fatalf("beside its own length: %+v of %g", near, *r.TotalS)
		}
	})
}
