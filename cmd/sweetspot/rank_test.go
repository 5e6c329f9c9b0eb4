package main

import (
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Where no training reached a target, the best that any came to is said; where
// one did, something else keeps the ranking empty.
func TestBestReached(t *testing.T) {
	course := func(higher bool, values ...float64) profile.Run {
		r := profile.Run{Model: "net", Mode: profile.Train}
		for e, v := range values {
			r.Validations = append(r.Validations, profile.Validation{Epoch: e, Value: &v, HigherIsBetter: higher})
		}
		return r
	}
	for _, c := range []struct {
		runs   []profile.Run
		target float64
		best   float64
		ok     bool
	}{
		{[]profile.Run{course(true, 0.5, 0.7), course(true, 0.8, 0.6)}, 0.9, 0.8, true},
		{[]profile.Run{course(true, 0.5, 0.7)}, 0.7, 0, false},
		{[]profile.Run{course(false, 0.5, 0.3)}, 0.2, 0.3, true},
		{[]profile.Run{course(false, 0.5, 0.1)}, 0.2, 0, false},
		{[]profile.Run{{Model: "net", Mode: profile.Train}}, 0.9, 0, false},
	} {
		q := question.Query{Workload: question.Workload{Model: "net", TargetAccuracy: &c.target}}
		if best, ok := bestReached(&profile.Set{Runs: c.runs}, q); ok != c.ok || ok && best != c.best {
			t.Errorf("target %g: best %g, %v; want %g, %v", c.target, best, ok, c.best, c.ok)
		}
	}
}
