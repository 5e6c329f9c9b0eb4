package main

import (
	"fmt"
	"testing"

	"sweetspot/engine/validate"
)

// Each model belongs to one half, whatever the order of its cases, and the
// halves have as many models.
func TestHalves(t *testing.T) {
	var cases []validate.Case
	for i := range 40 {
		cases = append(cases, validate.Case{Group: fmt.Sprint("model ", i%10), Truth: float64(i)})
	}
	of := map[string]int{}
	for i, half := range halves(cases) {
		if len(half) != 20 {
			t.Errorf("half %d has %d cases", i+1, len(half))
		}
		for _, c := range half {
			if before, seen := of[c.Group]; seen && before != i {
				t.Errorf("%s is in both halves", c.Group)
			}
			of[c.Group] = i
		}
	}
	if len(of) != 10 {
		t.Errorf("%d models of 10", len(of))
	}
}
