package candidate

import (
	"fmt"
	"slices"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Of a long price list the cheapest per unit of work and the fastest VM types
// are combined, and the others named; of those that are asked for, all.
func TestLongPriceListsAreCutToThePromising(t *testing.T) {
	set := &profile.Set{}
	for k := range 40 {
		name := fmt.Sprintf("vm-%02d", k)
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "aws", Region: "here", InstanceType: name, GPU: "K80",
			GPUCount: 1, Prices: []profile.Price{
				{Purchase: profile.OnDemand, USDPerHour: 1 + 0.1*float64(k), Source: "made up", AsOf: "2026-01"},
			}})
		seconds := 1.0
		if k >= 36 { // dear, but fast
			seconds = 0.9
		}
		set.Runs = append(set.Runs, profile.Run{
			ID: int64(k + 1), Model: "net", Mode: profile.Infer, Status: profile.Done, Basis: estimate.Measured, Cloud: "aws",
			Region: "here", InstanceType: name, GPU: "K80", GPUCount: 1,
			Count: 1, BatchSize: 10, Steady: estimate.Around(seconds, 0.01, estimate.Measured),
		})
	}
	w := question.Workload{Model: "net", Mode: profile.Infer, Units: 1000, MaxCount: 1, Purchase: profile.OnDemand}
	c, err := Combine(set, w, nil, Rental{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Parts) != mostCheap+mostFast || len(c.LeftOut) != 40-len(c.Parts) {
		t.Fatalf("%d VM types are combined, %d left out", len(c.Parts), len(c.LeftOut))
	}
	for _, p := range c.Parts {
		if name := p.VM.InstanceType; name >= "vm-12" && name < "vm-36" {
			t.Errorf("%s is neither cheap nor fast", name)
		}
	}
	if slices.Contains(c.LeftOut, "vm-00") || slices.Contains(c.LeftOut, "vm-39") {
		t.Errorf("left out: %v", c.LeftOut)
	}
	dear := set.Runs[20]
	dear.ID, dear.Variant = 41, profile.Variant{Name: "whole"}
	set.Runs = append(set.Runs, dear)
	if c, err = Combine(set, w, nil, Rental{}); err != nil || len(c.Parts) != mostCheap+mostFast+1 ||
		slices.Contains(c.LeftOut, "vm-20") {
		t.Errorf("a variant timed on vm-20 alone is combined with none: %d VM types, %v", len(c.Parts), err)
	}
	named := Rental{}
	for k := range 20 {
		named.Limits = append(named.Limits, Limit{fmt.Sprintf("vm-%02d", 10+k), 1})
	}
	if c, err = Combine(set, w, nil, named); err != nil || len(c.Parts) != 20 || c.LeftOut != nil {
		t.Errorf("of 20 named ones %d are combined: %v", len(c.Parts), err)
	}
}
