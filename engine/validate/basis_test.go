package validate

import (
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Each basis is tested by the runs that can: whole trainings with the marks of
// their epochs, and a model at several batch sizes. Nothing is said of others.
func TestByBasis(t *testing.T) {
	if got := ByBasis(&profile.Set{}); len(got) != 0 {
		t.Errorf("of no runs: %+v", got)
	}
	set := &profile.Set{}
	for _, name := range []string{"a", "b"} {
		r := profile.Run{Model: "net", Mode: profile.Train, Cloud: name, InstanceType: name, GPUCount: 1, Count: 1, BatchSize: 8,
			Epochs: new(8.0), TotalS: new(8*60.0 + 5), Basis: estimate.Measured, Status: profile.Done}
		for e := range 8 {
			r.EpochStartsS = append(r.EpochStartsS, 5+60*float64(e))
		}
		set.Runs = append(set.Runs, r)
	}
	got := ByBasis(set)
	if s, ok := got[estimate.Measured]; !ok || s.N != 2 || s.Median > 0.01 {
		t.Errorf("two even trainings: %+v", got)
	}
	if _, ok := got[estimate.OtherBatch]; ok {
		t.Errorf("one batch size tells of no other: %+v", got)
	}
}
