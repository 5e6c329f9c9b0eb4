package cluster

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// enumerated is the least makespan over every way to give whole batches to
// GPUs, counted through GPU by GPU.
func (p problem) enumerated(counts []int) float64 {
	var gpus []offer
	for i, o := range p.offers {
		for range counts[i] * o.gpus {
			gpus = append(gpus, o)
		}
	}
	best := math.Inf(1)
	var give func(i int, left, until float64)
	give = func(i int, left, until float64) {
		if until >= best {
			return
		}
		if left <= p.units*1e-12 {
			best = until
			return
		}
		if i == len(gpus) {
			return
		}
		o := gpus[i]
		for k := 0.0; ; k++ {
			end := until
			if k > 0 {
				end = math.Max(until, o.startupS+k*o.batch.Seconds)
			}
			give(i+1, left-k*o.batch.Size, end)
			if k*o.batch.Size >= left {
				return
			}
		}
	}
	give(0, p.units, 0)
	return best
}

// rounded is equation 2: the seconds when every GPU gets what the split gives it,
// rounded up to whole batches.
func (p problem) rounded(counts []int) (t float64) {
	divisible := p.seconds(counts)
	gpus := 0
	for i, o := range p.offers {
		gpus += counts[i] * o.gpus
	}
	for i, o := range p.offers {
		if counts[i] == 0 {
			continue
		}
		each := p.units / float64(gpus)
		if p.split == ByThroughput {
			each = math.Max(0, divisible-o.startupS) * o.gpuRate
		}
		if batches := -wholly(-each / o.batch.Size); batches > 0 {
			t = math.Max(t, o.startupS+batches*o.batch.Seconds)
		}
	}
	return t
}

// drawSchedule draws a few GPUs with at most a dozen batches each.
func drawSchedule(t *rapid.T) (Space, Configuration) {
	s := Space{Split: rapid.SampledFrom([]Split{ByThroughput, ByGPUs}).Draw(t, "split"), Variants: []Variant{{}}}
	s.Units = rapid.SampledFrom([]float64{1, 7, 10, 24, 30.5}).Draw(t, "units")
	counts, gpus := []int(nil), 0
	for gpus == 0 || gpus < 4 && rapid.Bool().Draw(t, "more") {
		v := VMType{
			GPUs: rapid.IntRange(0, 2).Draw(t, "gpus"), Limit: 2, USDPerHour: 3600,
			StartupS: rapid.SampledFrom([]float64{0, 0, 1, 5}).Draw(t, "startup"),
		}
		n := rapid.IntRange(0, 2).Draw(t, "count")
		if gpus+n*max(v.GPUs, 1) > 4 {
			n = 0
		}
		gpus += n * max(v.GPUs, 1)
		seconds := rapid.SampledFrom([]float64{1, 0.3, 2, 0.7}).Draw(t, "seconds")
		if rapid.Bool().Draw(t, "any seconds") {
			seconds = rapid.Float64Range(0.1, 5).Draw(t, "seconds")
		}
		s.VMs = append(s.VMs, v)
		s.Variants[0].Batches = append(s.Variants[0].Batches, Batch{Size: rapid.SampledFrom([]float64{3, 4, 5, 8, 30}).Draw(t,
			"size"), Seconds: seconds})
		counts = append(counts, n)
	}
	c, ok := s.Evaluate(0, counts)
	if !ok {
		t.Fatalf("%v is no configuration of %+v", counts, s)
	}
	return s, c
}

func TestScheduleIsTheBestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range cases {
			s, c := drawSchedule(t)
			got, p := s.Schedule(c), s.problem(0)
			own := make([]int, len(p.offers))
			for i, o := range p.offers {
				own[i] = c.Counts[o.vm]
			}
			want := p.rounded(own)
			if s.Split == ByThroughput {
				want = p.enumerated(own)
			}
			if math.Abs(got.Seconds-want) > 1e-9*want {
				t.Fatalf("%v takes %g s, not %g s\nin %+v", c.Counts, got.Seconds, want, s)
			}
			if naive := p.rounded(own); naive < got.Seconds*(1-1e-9) {
				t.Fatalf("rounded up %g s, best %g s", naive, got.Seconds)
			}
			by := s
			by.Split = ByThroughput
			if limit, _ := by.Evaluate(0, c.Counts); got.Seconds < limit.Seconds*(1-1e-9) {
				t.Fatalf("whole batches take %g s, divisible work %g s", got.Seconds, limit.Seconds)
			}
			checkShares(t, s, c, got)
		}
	})
}

// By GPUs the study's own numbers hold, in whole batches too: 3 and 2 GPUs get 60 and
// 40 % (equation 4), however fast they are.
func TestWholeBatchesFollowTheSplit(t *testing.T) {
	s := Space{Units: 1e6, Split: ByGPUs, VMs: []VMType{{GPUs: 1, Limit: 3, USDPerHour: 0.9}, {GPUs: 1, Limit: 2,
		USDPerHour: 1.14}}, Variants: []Variant{{Batches: []Batch{{Size: 300, Seconds: 6}, {Size: 300, Seconds: 2.91}}}}}
	c, _ := s.Evaluate(0, []int{3, 2})
	got := s.Schedule(c)
	if k80, m60 := got.Shares[0], got.Shares[1]; got.Seconds != 667*6 || k80.Units != 600_000 || k80.Batches != 2001 ||
		k80.BusyS != 667*6 || m60.Units != 400_000 || m60.BusyS != 667*2.91 {
		t.Errorf("%+v", got)
	}
}

// checkShares: all the work is shared, no GPU works longer than the schedule,
// and the batches are as many as the units need.
func checkShares(t *rapid.T, s Space, c Configuration, got Schedule) {
	units, vms := 0.0, 0.0
	for i, share := range got.Shares {
		b, v := s.Variants[0].Batches[i], s.VMs[i]
		units += share.Units
		vms += float64(c.Counts[i])
		if c.Counts[i] == 0 && share != (Share{}) {
			t.Fatalf("no VM of type %d works: %+v", i, share)
		}
		if share.Batches > 0 && v.StartupS+share.BusyS > got.Seconds*(1+1e-9) {
			t.Fatalf("type %d works until %g s of %g", i, v.StartupS+share.BusyS, got.Seconds)
		}
		gpus := c.Counts[i] * max(v.GPUs, 1)
		if share.Batches == 0 {
			continue
		}
		if each := share.BusyS / b.Seconds; float64(share.Batches) > float64(gpus)*(each+1e-6) ||
			float64(share.Batches) <= float64(gpus)*(each-1-1e-6) {
			t.Fatalf("%d batches on %d GPUs, %g on one", share.Batches, gpus, each)
		}
		most, spare := float64(share.Batches)*b.Size, b.Size // in the last batch, by GPUs in that of every GPU
		if s.Split == ByGPUs {
			spare *= float64(gpus)
		}
		if share.Units > most*(1+1e-9) || share.Units <= most-spare*(1+1e-9) {
			t.Fatalf("%g units in %d batches of %g", share.Units, share.Batches, b.Size)
		}
	}
	if math.Abs(units-s.Units) > 1e-9*s.Units {
		t.Fatalf("%g of %g units are shared: %+v", units, s.Units, got)
	}
	if usd := vms * got.Seconds; math.Abs(got.USD-usd) > 1e-9*usd {
		t.Fatalf("costs %g, %g expected", got.USD, usd)
	}
}

// More batches than a float64 can tell apart end the search all the same: no
// batch is counted that is not the next one.
func TestScheduleOfMoreBatchesThanCanBeCounted(t *testing.T) {
	for _, units := range []float64{1e12, 1e17, 1e20, 1e300} {
		s := Space{
			Units: units, Split: ByThroughput, VMs: []VMType{{GPUs: 1, Limit: 2}, {GPUs: 4, Limit: 1, StartupS: 30}},
			Variants: []Variant{{Batches: []Batch{{Size: 32, Seconds: 0.3}, {Size: 10, Seconds: 0.07}}}},
		}
		c, _ := s.Evaluate(0, []int{2, 1})
		if got := s.problem(0).wholeBatches(c.Counts); math.Abs(got/c.Seconds-1) > 1e-6 {
			t.Errorf("%g units take %g s, divided arbitrarily %g s", units, got, c.Seconds)
		}
		if err := s.Check(); (units > 1e14) != (err != nil && strings.Contains(err.Error(), "batches")) {
			t.Errorf("%g units: %v", units, err)
		}
	}
}

// A rounded throughput split can lose to the split by GPUs; the assignment
// does not.
func TestRoundingTheThroughputSplitCanLose(t *testing.T) {
	s := Space{
		Units: 20, Split: ByThroughput, VMs: []VMType{{GPUs: 1, Limit: 1}, {GPUs: 1, Limit: 1}},
		Variants: []Variant{{Batches: []Batch{{Size: 10, Seconds: 1}, {Size: 10, Seconds: 0.9}}}},
	}
	c, _ := s.Evaluate(0, []int{1, 1})
	g := s
	g.Split = ByGPUs
	thr, gpu := s.Schedule(c), g.Schedule(c)
	if s.problem(0).rounded(c.Counts) != 1.8 || g.problem(0).rounded(c.Counts) != 1 || thr.Seconds != 1 ||
		gpu.Seconds != 1 {
		t.Errorf("by throughput %+v\nby GPUs %+v", thr, gpu)
	}
}
