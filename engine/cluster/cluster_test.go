package cluster

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func k80(count, gpus int, usd float64) Member {
	// CaffeNet unpruned: 19 minutes for 50,000 images in batches of 300.
	return Member{Count: count, GPUs: gpus, BatchSize: 300, BatchTime: 19 * 60 / 167.0, USDPerHour: usd}
}

func TestCaffeNetOnOneK80(t *testing.T) {
	if got := Makespan([]Member{k80(1, 1, 0.9)}, 50000, ByGPUs); math.Abs(got-19*60) > 1e-6 {
		t.Errorf("got %g s, the study says 19 minutes", got)
	}
}

func TestEqualCostAcrossSizesOfAFamily(t *testing.T) {
	// The study's figure: CAR is the same on every p2 type when all GPUs work.
	var costs []float64
	for _, m := range []Member{k80(1, 1, 0.9), k80(1, 8, 7.2), k80(1, 16, 14.4)} {
		ms := []Member{m}
		costs = append(costs, Cost(Makespan(ms, 1e6, ByGPUs), USDPerHour(ms)))
	}
	for _, c := range costs {
		if math.Abs(c/costs[0]-1) > 0.005 {
			t.Errorf("costs differ beyond the last batch: %v", costs)
		}
	}
}

func TestSharesAndSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		members := make([]Member, n)
		for i := range members {
			members[i] = Member{
				Count: rapid.IntRange(1, 8).Draw(t, "count"), GPUs: rapid.IntRange(0, 16).Draw(t, "gpus"),
				BatchSize: float64(rapid.IntRange(1, 512).Draw(t, "batch")),
				BatchTime: rapid.Float64Range(1e-3, 10).Draw(t, "t"), USDPerHour: rapid.Float64Range(0.1, 50).Draw(t, "usd"),
			}
		}
		units := rapid.Float64Range(1, 1e7).Draw(t, "units")
		divisible := func(split Split) float64 {
			var sum, worst float64
			for i, w := range sharesOf(members, units, split) {
				sum += w
				worst = math.Max(worst, w/members[i].rate())
			}
			if math.Abs(sum/units-1) > 1e-9 {
				t.Fatalf("shares sum to %g of %g units", sum, units)
			}
			return worst
		}
		if g, th := divisible(ByGPUs), divisible(ByThroughput); th > g*(1+1e-9) {
			t.Fatalf("throughput split takes %g s, GPU split %g s", th, g)
		}
		for _, split := range []Split{ByGPUs, ByThroughput} {
			if whole := Makespan(members, units, split); whole < divisible(split)*(1-1e-9) {
				t.Fatalf("whole batches took %g s, less than divisible work", whole)
			}
		}
	})
}

func TestRatiosNeedAMeaning(t *testing.T) {
	if v, ok := TAR(60, 0.8, true); !ok || v != 75 {
		t.Errorf("TAR(60 s, 80 %%) = %g, %v", v, ok)
	}
	for _, a := range []float64{0, math.NaN(), -1} {
		if _, ok := CAR(1, a, true); ok {
			t.Errorf("accuracy %g gave a CAR", a)
		}
	}
	if _, ok := TAR(60, 0.1, false); ok {
		t.Error("a metric where lower is better gave a TAR")
	}
}
