package transfer_test

import (
	"fmt"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// A curve through three batch sizes predicts others.
func ExampleBatchCurve() {
	c := transfer.BatchCurve([]transfer.Point{{Batch: 16, Seconds: 0.05}, {Batch: 64, Seconds: 0.11},
		{Batch: 256, Seconds: 0.35}})
	e := c.Predict(128)
	fmt.Printf("batch 128: %.3f s, between %.3f and %.3f s, basis %s\n", e.Value, e.Low, e.High, e.Basis)
	// Output:
	// batch 128: 0.190 s, between 0.186 and 0.195 s, basis other-batch
}

// The predictor uses what was measured on the same VM, and on others.
func ExamplePredictor() {
	set := &profile.Set{}
	for batch, seconds := range map[int]float64{32: 0.1, 64: 0.18} {
		set.Runs = append(set.Runs, profile.Run{
			Model: "net", Mode: profile.Train, Cloud: "aws", InstanceType: "p3.2xlarge", GPU: "V100", GPUCount: 1, Count: 1,
			BatchSize: batch, Steady: estimate.Spread(seconds, 0.01, estimate.Measured),
			Basis: estimate.Measured, Status: profile.Done,
		})
	}
	p := transfer.New(set, profile.Train)
	vm := profile.VMType{Cloud: "aws", InstanceType: "p3.2xlarge", GPU: "V100", GPUCount: 1}
	e, why := p.Iteration("net", profile.Variant{}, vm, 1, 128)
	fmt.Printf("%.2f s, %s: %s\n", e.Value, e.Basis, why)
	// Output:
	// 0.34 s, other-batch: from 2 batch sizes measured there
}
