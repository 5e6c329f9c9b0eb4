package cluster_test

import (
	"fmt"

	"sweetspot/engine/cluster"
)

// A million images on up to four p2.xlarge and two g3.4xlarge: what the fastest
// and the cheapest combination take.
func ExampleSpace_Frontiers() {
	space := cluster.Space{
		VMs: []cluster.VMType{{GPUs: 1, Limit: 4, USDPerHour: 0.90}, {GPUs: 1, Limit: 2, USDPerHour: 1.14}},
		Variants: []cluster.Variant{{Accuracy: new(0.8), Batches: []cluster.Batch{
			{Size: 300, Seconds: 6.84}, {Size: 300, Seconds: 3.32},
		}}},
		Units: 1e6, Split: cluster.ByThroughput,
	}
	f, err := space.Frontiers()
	if err != nil {
		fmt.Println(err)
		return
	}
	s := f.Within(cluster.Limits{})
	for name, c := range map[string]cluster.Configuration{"fastest": s.TimeCost[0],
		"cheapest": s.TimeCost[len(s.TimeCost)-1]} {
		fmt.Printf("%s: %v VMs, %.1f h, $%.2f\n", name, c.Counts, c.Seconds/3600, c.USD)
	}
	// Unordered output:
	// fastest: [4 2] VMs, 0.8 h, $4.59
	// cheapest: [0 2] VMs, 1.5 h, $3.50
}

// 50,000 images in batches of 300 on one K80 take 167 batches.
func ExampleMakespan() {
	k80 := []cluster.Member{{Count: 1, GPUs: 1, BatchSize: 300, BatchTime: 6.84, USDPerHour: 0.90}}
	t := cluster.Makespan(k80, 50_000, cluster.ByGPUs)
	fmt.Printf("%.0f s, $%.2f\n", t, cluster.Cost(t, cluster.USDPerHour(k80)))
	// Output:
	// 1142 s, $0.29
}
