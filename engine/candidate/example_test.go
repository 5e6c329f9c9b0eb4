package candidate_test

import (
	"fmt"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// One timed batch size on one VM type answers for any number of such VMs.
func ExampleNewList() {
	set := &profile.Set{
		VMTypes: []profile.VMType{{Cloud: "aws", Region: "us-east-1", InstanceType: "p3.2xlarge", GPU: "V100", GPUCount: 1,
			Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 3.06, Source: "price list", AsOf: "2026-01"}}}},
		Runs: []profile.Run{{ID: 1, Model: "resnet50", Mode: profile.Infer, Cloud: "aws", Region: "us-east-1",
			InstanceType: "p3.2xlarge", GPU: "V100", GPUCount: 1, Count: 1, BatchSize: 100, Status: profile.Done,
			Basis: estimate.Measured, Steady: estimate.Spread(0.1, 0.01, estimate.Measured)}},
	}
	w := question.Workload{Model: "resnet50", Mode: profile.Infer, Units: 1e6, MaxCount: 2, Purchase: profile.OnDemand}
	l := candidate.NewList(set, w, nil, nil)
	for i := range l.Len() {
		c := l.At(i)
		fmt.Printf("%d× %s: %.0f s, $%.2f, %s\n", c.Configuration[0].Count, c.Configuration[0].VM.InstanceType, c.Time.Value,
			c.Cost.Value, c.Time.Basis)
	}
	// Output:
	// 1× p3.2xlarge: 1000 s, $0.85, measured
	// 2× p3.2xlarge: 500 s, $0.85, measured
}
