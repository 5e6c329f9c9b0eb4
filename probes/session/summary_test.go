package session

import (
	"testing"

	"sweetspot/data/store"
)

// The script runs on for a step or more before it obeys. If these steps are
// unlike the others the series as a whole is not steady any more; the answer
// stays the one the probe was stopped for.
func TestLateStepsDoNotUnmakeTheAnswer(t *testing.T) {
	p := newState(store.Description{}, 1)
	for range 61 {
		p.series.Add(0.1)
	}
	p.decided = p.series.Len()
	for range 45 {
		p.series.Add(0.2)
	}
	if p.series.Summary().IsSteady {
		t.Fatal("the whole series is steady: this test proves nothing")
	}
	s := p.update().Summary
	if !s.IsSteady || s.N != 60 || s.Steady.Value != 0.1 {
		t.Errorf("summary %+v", s)
	}
	if p.decided = 0; p.update().Summary.IsSteady {
		t.Error("steady without a verdict")
	}
}
