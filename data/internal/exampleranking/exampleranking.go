// Package exampleranking holds the ranking on which tests of documents rest.
package exampleranking

import (
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// New is the ranking of a small question with everything in it: two VM types that
// cross over, an accuracy, a pruned variant, a machine without a price, a cell
// that ran out of memory.
func New() *rank.Result {
	run := func(id int64, vm string, startup, iteration float64) profile.Run {
		return profile.Run{
			ID: id, Model: "net", Mode: profile.Train, Cloud: "aws", Region: "us-east-1", InstanceType: vm, GPU: "K80",
			GPUCount: 1, Count: 1, BatchSize: 256, IterationsPerEpoch: new(100.0), StartupS: &startup,
			Steady: estimate.Spread(iteration, 0.05, estimate.Measured), Basis: estimate.Measured, Status: profile.Done,
		}
	}
	fast, slow, pruned, own, oom := run(1, "p3.2xlarge", 60, 0.1), run(2, "p2.xlarge", 10, 0.4),
		run(3, "p2.xlarge", 10, 0.3), run(4, "desk", 5, 0.5), run(5, "p2.xlarge", 0, 0)
	fast.GPU = "V100"
	fast.Accuracy = &profile.Accuracy{Metric: "top-1", Value: 0.9, StdDev: new(0.01), HigherIsBetter: true,
		Basis: estimate.Measured}
	pruned.Variant = profile.Variant{Name: "pruned 30 %", Precision: "fp16",
		Pruning: &profile.Pruning{Kind: "filters by L1 norm", Ratio: new(0.3)}}
	own.Cloud, own.Region, own.GPU, own.GPUCount = "", "", "", 0
	oom.BatchSize, oom.Status, oom.Steady = 4096, profile.OutOfMemory, estimate.Estimate{}
	price := func(usd float64) []profile.Price {
		return []profile.Price{{Purchase: profile.OnDemand, USDPerHour: usd, Source: "price list", AsOf: "2021-03-01"}}
	}
	set := &profile.Set{
		Runs: []profile.Run{fast, slow, pruned, own, oom},
		VMTypes: []profile.VMType{
			{Cloud: "aws", Region: "us-east-1", InstanceType: "p3.2xlarge", GPU: "V100", GPUCount: 1, GPUMemGiB: new(16.0),
				Prices: price(3.06)},
			{Cloud: "aws", Region: "us-east-1", InstanceType: "p2.xlarge", GPU: "K80", GPUCount: 1, Prices: price(0.9)},
		},
	}
	q := question.Query{
		Workload: question.Workload{Model: "net", Mode: profile.Train, Epochs: new(3.0), Purchase: profile.OnDemand,
			MaxCount: 1},
		Limits: question.Limits{objective.Time: 140.0}, Weights: question.Weights{objective.Time: 1, objective.Cost: 1},
		Sort: question.ByCost,
	}
	return rank.Answer(set, q, nil)
}
