package rank

import (
	"fmt"
	"runtime"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transfer"
)

// BenchmarkPredicted ranks networks that were timed on two GPUs, as timm's are, on a
// hundred VM types with ten others, from the runs to the order.
func BenchmarkPredicted(b *testing.B) {
	for _, size := range []struct {
		name     string
		networks int
	}{{"1k", 10}, {"100k", 1000}, {"1M", 9804}} {
		b.Run(size.name, func(b *testing.B) {
			set := networksOnTwoGPUs(size.networks)
			q := question.Query{Sort: question.ByCost, Workload: question.Workload{Model: "timm", Mode: profile.Infer,
				Units: 1e6, MaxCount: 1, Purchase: profile.OnDemand, Predicted: true}}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var r *Result
			for b.Loop() {
				r = Evaluate(NewSpace(candidate.NewList(set, q.Workload, transfer.New(set, profile.Infer), nil)), q)
				if r.Count() < 100*size.networks {
					b.Fatalf("only %d candidates", r.Count())
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB-kept")
			b.ReportMetric(float64(r.Space.Len()), "candidates")
		})
	}
}

// networksOnTwoGPUs is a set of so many networks on two GPUs of one's own, and a catalog.
func networksOnTwoGPUs(networks int) *profile.Set {
	set := &profile.Set{}
	for k := range 100 {
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "aws", Region: "here", InstanceType: fmt.Sprint("vm", k),
			GPU: fmt.Sprint("gpu", k%10), GPUCount: 1 + k/10, Prices: []profile.Price{
				{Purchase: profile.OnDemand, USDPerHour: 1 + float64(k)/10, Source: "made up", AsOf: "2026-01"}}})
	}
	for g := range 10 {
		set.GPUs = append(set.GPUs, profile.GPUSpec{Name: fmt.Sprint("gpu", g), FP32TFLOPS: new(10 + float64(g)),
			BandwidthGBs: new(500 + 50*float64(g))})
	}
	for k := range networks {
		for g, gpu := range []string{"gpu0", "gpu1"} {
			set.Runs = append(set.Runs, profile.Run{ID: int64(2*k + g + 1), Model: "timm", Mode: profile.Infer,
				Variant: profile.Variant{Name: fmt.Sprintf("net%d · 224 px", k)}, InstanceType: "own " + gpu, GPU: gpu, GPUCount: 1,
				Count: 1, BatchSize: 256, Basis: estimate.Published, Status: profile.Done,
				Steady: estimate.Around(0.1*(1+float64(k)/100)/(1+0.3*float64(g)), 0.001, estimate.Published)})
		}
	}
	return set
}
