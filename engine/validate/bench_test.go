package validate

import (
	"fmt"
	"math"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// BenchmarkValidate asks every question of a thousand networks that were timed on two
// GPUs, as timm's are, each at the largest batch size that fits.
func BenchmarkValidate(b *testing.B) {
	set, questions := networksOnTwoGPUs(1000), Questions()
	for b.Loop() {
		cases := 0
		for _, s := range Ask(set, questions, MostCases) {
			cases += s.N
		}
		if cases < 2*MostCases {
			b.Fatalf("only %d cases", cases)
		}
		b.ReportMetric(float64(cases), "cases")
	}
}

// networksOnTwoGPUs is a set of so many networks on two GPUs of one's own.
func networksOnTwoGPUs(networks int) *profile.Set {
	set := &profile.Set{GPUs: []profile.GPUSpec{
		{Name: "gpu0", FP32TFLOPS: new(35.6), BandwidthGBs: new(936.0)},
		{Name: "gpu1", FP32TFLOPS: new(82.6), BandwidthGBs: new(1008.0)}}}
	for k := range networks {
		perImage := 1e-4 * math.Exp(3*float64(k*7919%networks)/float64(networks))
		for g, gpu := range []string{"gpu0", "gpu1"} {
			batch := 1024 >> (k % 3)
			faster := 1 + float64(g)*(0.3+0.2*math.Sin(float64(k)))
			set.Runs = append(set.Runs, profile.Run{ID: int64(2*k + g + 1), Model: "timm", Mode: profile.Infer,
				Variant: profile.Variant{Name: fmt.Sprintf("net%d · 224 px", k)}, InstanceType: "own " + gpu, GPU: gpu,
				GPUCount: 1, Count: 1, BatchSize: batch, Basis: estimate.Published, Status: profile.Done,
				Steady: estimate.Around(perImage*float64(batch)/faster, 0.001, estimate.Published)})
		}
	}
	return set
}
