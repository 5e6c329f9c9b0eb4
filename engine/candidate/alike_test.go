package candidate_test

import (
	"fmt"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transfer"
)

// Times that are asked for once for many VM types are those that each is predicted alone.
func TestSharedPredictionsAreEachVMsOwn(t *testing.T) {
	for _, mode := range []profile.Mode{profile.Train, profile.Infer} {
		set := &profile.Set{GPUs: []profile.GPUSpec{{Name: "V100", FP32TFLOPS: new(15.7), BandwidthGBs: new(900.0)},
			{Name: "A100", FP32TFLOPS: new(19.5), BandwidthGBs: new(1555.0)}}}
		for k, gpu := range []string{"K80", "V100", "A100", "A100", "", "V100"} {
			for _, count := range []int{1, 2, 8} {
				set.VMTypes = append(set.VMTypes, vm(fmt.Sprint("vm", k, "-", count), gpu, count, float64(k+count)))
			}
		}
		set.VMTypes = append(set.VMTypes, set.VMTypes[3])
		set.VMTypes[len(set.VMTypes)-1].Region = "eu"
		for net := range 4 {
			for at, on := range []int{0, 3, 4} { // K80, V100 and two V100
				for b := range 1 + net%3 {
					r := train(64<<b, set.VMTypes[on].InstanceType)
					r.ID, r.Mode, r.Cloud, r.Region = int64(len(set.Runs)+1), mode, "aws", "us"
					r.GPU, r.GPUCount = set.VMTypes[on].GPU, set.VMTypes[on].GPUCount
					r.Variant.Name, r.Epochs, r.IterationsPerEpoch = fmt.Sprint("net", net), new(3.0), new(1024/float64(int(1)<<b))
					seconds := float64(1+net) * float64(int(1)<<b) / float64(1+at)
					r.Steady = estimate.Around(seconds, 0.02*seconds, estimate.Measured)
					set.Runs = append(set.Runs, r)
				}
			}
		}
		p, n := transfer.New(set, mode), 0
		w := question.Workload{Model: set.Runs[0].Model, Mode: mode, Units: 1e5, MaxCount: 1, Purchase: profile.OnDemand}
		for _, c := range candidate.NewList(set, w, p, nil).All() {
			if !c.IsPredicted() {
				continue
			}
			n++
			on := c.Configuration[0].VM
			want, _ := p.Iteration(c.Model, c.Variant, on, on.GPUCount, c.BatchSize)
			if c.Probe.IterationS != want.Value || c.Timing() != want.Basis {
				t.Errorf("%s %s at batch %d on %s: %g s (%s), want %+v", mode, c.Variant.Name, c.BatchSize, on.InstanceType,
					c.Probe.IterationS, c.Timing(), want)
			}
		}
		if n < 100 {
			t.Errorf("%s: only %d predictions", mode, n)
		}
	}
}
