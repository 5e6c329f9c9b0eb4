package question

import (
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Predictions come unasked where nothing of one's own was measured on what is rented.
func TestPredictsUnasked(t *testing.T) {
	run := func(id int64, cloud string, usd *float64) profile.Run {
		return profile.Run{ID: id, Model: "net", Mode: profile.Train, Cloud: cloud, InstanceType: "vm", USDPerHour: usd,
			Basis: estimate.Measured, NoGPU: true}
	}
	other := run(4, "aws", nil)
	other.Model = "another"
	claimed := run(5, "aws", new(0.5))
	claimed.InstanceType = "g4dn.xlarge"
	for name, c := range map[string]struct {
		runs []profile.Run
		want bool
	}{
		"nothing":            {nil, false},
		"own machine":        {[]profile.Run{run(1, "", nil), other}, true},
		"with a price":       {[]profile.Run{run(1, "", new(0.3))}, false},
		"rented":             {[]profile.Run{run(1, "", nil), run(2, "aws", nil)}, false},
		"built-in":           {[]profile.Run{run(-1, "", nil)}, false},
		"claimed to be a VM": {[]profile.Run{claimed}, true},
	} {
		set := &profile.Set{Runs: c.runs, VMTypes: []profile.VMType{{Cloud: "aws", InstanceType: "g4dn.xlarge", GPU: "T4"}}}
		if got := PredictsUnasked(set, "net", profile.Train); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
