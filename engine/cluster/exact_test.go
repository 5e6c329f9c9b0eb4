package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// every lists all configurations of a variant by counting them through: the
// slow definition.
func (s Space) every(variant int, visit func(Configuration)) {
	counts := make([]int, len(s.VMs))
	for {
		i := 0
		for i < len(counts) && counts[i] == s.VMs[i].Limit {
			counts[i] = 0
			i++
		}
		if i == len(counts) {
			return
		}
		counts[i]++
		if c, ok := s.Evaluate(variant, counts); ok {
			visit(c)
		}
	}
}

// dominates: no worse in time and cost, beyond what counts as equal.
func dominates(a, b Configuration, slack float64) bool {
	return a.Seconds <= b.Seconds*(1+slack) && a.USD <= b.USD*(1+slack)
}

// checkFrontier holds a frontier to all configurations: each of them is matched
// or beaten by a listed one, and no listed one is beaten. Of equal ones the
// smallest is listed; with start-ups, times that differ in the last bits only
// hide which are equal.
func checkFrontier(t rapid.TB, s Space, variant int, front []Configuration) {
	t.Helper()
	const slack = 4 * equal
	plain := !slices.ContainsFunc(s.VMs, func(v VMType) bool { return v.StartupS != 0 || v.Billing != Billing{} })
	covered := func(c Configuration) bool {
		for _, f := range front {
			if dominates(f, c, slack) {
				return true
			}
		}
		return false
	}
	for i, f := range front {
		if i > 0 && !(f.Seconds > front[i-1].Seconds && f.USD < front[i-1].USD) {
			t.Fatalf("not by rising time and falling cost: %v, %v", front[i-1], f)
		}
		if c, ok := s.Evaluate(variant, f.Counts); !ok || c.Seconds != f.Seconds || c.USD != f.USD {
			t.Fatalf("%v evaluates to %v", f, c)
		}
	}
	s.every(variant, func(c Configuration) {
		if !covered(c) {
			t.Fatalf("%+v is beaten by none of %+v\nin %+v", c, front, s)
		}
		for _, f := range front {
			if dominates(c, f, 0) && (c.Seconds < f.Seconds*(1-slack) || c.USD < f.USD*(1-slack)) {
				t.Fatalf("%+v beats %+v\nin %+v", c, f, s)
			}
			if plain && math.Abs(c.Seconds-f.Seconds) <= 1e-14*f.Seconds && math.Abs(c.USD-f.USD) <= 1e-14*f.USD &&
				better(c, f) {
				t.Fatalf("%v is %v, and smaller\nin %+v", c, f, s)
			}
		}
	})
}

// drawSpace draws a small space. Values come from short lists half of the time,
// so that ties are common.
func drawSpace(t *rapid.T, split Split, startups, billing []float64) Space {
	amount := func(name string, nice []float64, low, high float64) float64 {
		if rapid.Bool().Draw(t, name+" is round") {
			return rapid.SampledFrom(nice).Draw(t, name)
		}
		return rapid.Float64Range(low, high).Draw(t, name)
	}
	s := Space{Units: amount("units", []float64{1, 1000, 1e6}, 1, 1e7), Split: split}
	combinations := 1
	for range rapid.IntRange(1, 5).Draw(t, "types") {
		v := VMType{GPUs: rapid.SampledFrom([]int{0, 1, 1, 2, 4, 8}).Draw(t, "gpus"),
			Limit: rapid.IntRange(0, 4).Draw(t, "limit")}
		if combinations *= v.Limit + 1; combinations > 400 {
			break
		}
		v.USDPerHour = amount("usd", []float64{0, 0.9, 1.8, 2.28, 7.2}, 0.01, 40)
		v.StartupS = rapid.SampledFrom(startups).Draw(t, "startup")
		v.Billing.MinimumS = rapid.SampledFrom(billing).Draw(t, "minimum")
		v.Billing.GranularityS = rapid.SampledFrom(billing).Draw(t, "granularity")
		s.VMs = append(s.VMs, v)
	}
	if len(s.VMs) == 0 {
		s.VMs = []VMType{{GPUs: 1, Limit: 2, USDPerHour: 1}}
	}
	v := Variant{}
	for range s.VMs {
		b := Batch{Size: rapid.SampledFrom([]float64{1, 32, 300}).Draw(t, "batch")}
		b.Seconds = b.Size / amount("rate", []float64{1, 2, 10, 300}, 0.1, 5000)
		if rapid.IntRange(0, 9).Draw(t, "fits") == 0 {
			b = Batch{}
		}
		v.Batches = append(v.Batches, b)
	}
	s.Variants = []Variant{v}
	return s
}

// cases is how many cases a check draws: with rapid's 100 checks, 10,000.
const cases = 100

// drawRules draws how VMs start and are billed, alike half of the time.
func drawRules(t *rapid.T) (startups, bills []float64, alike bool) {
	starts := rapid.SampledFrom([][]float64{{0}, {0}, {0, 30, 600}}).Draw(t, "start-ups")
	billed := rapid.SampledFrom([][]float64{{0}, {0}, {0, 60, 3600}}).Draw(t, "bills")
	return starts, billed, rapid.Bool().Draw(t, "alike")
}

func drawRuled(t *rapid.T, split Split) Space {
	starts, bills, alike := drawRules(t)
	s := drawSpace(t, split, starts, bills)
	if alike {
		for i := range s.VMs {
			s.VMs[i].StartupS, s.VMs[i].Billing = s.VMs[0].StartupS, s.VMs[0].Billing
		}
	}
	return s
}

func TestFrontierIsExact(t *testing.T) {
	for _, split := range []Split{ByThroughput, ByGPUs} {
		t.Run(string(split), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				for range cases {
					s := drawRuled(t, split)
					front, resolution := s.problem(0).frontier()
					if resolution > 0 {
						t.Fatalf("a small space was searched coarsely: %g", resolution)
					}
					checkFrontier(t, s, 0, front)
				}
			})
		})
	}
}

// What a crowd of sums is thinned to covers the rest within the resolution. With
// a start-up as long as the work and prices proportional to speed there are many.
func TestCrowdedFrontierKeepsItsWord(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for range 10 {
		s := Space{Units: 1e5, Split: ByThroughput, Variants: []Variant{{}}}
		for range 4 {
			rate := 10 + 90*rng.Float64()
			s.VMs = append(s.VMs, VMType{GPUs: 1, Limit: 6, USDPerHour: rate / 50 * (0.99 + 0.02*rng.Float64()), StartupS: 100})
			s.Variants[0].Batches = append(s.Variants[0].Batches, Batch{Size: 1, Seconds: 1 / rate})
		}
		front, resolution := s.problem(0).pooled(256)
		if resolution == 0 || resolution > 0.05 {
			t.Fatalf("%d configurations within %g", len(front), resolution)
		}
		s.every(0, func(c Configuration) {
			for _, f := range front {
				if f.Seconds <= c.Seconds*(1+4*equal) && f.USD*(1-resolution) <= c.USD*(1+4*equal) {
					return
				}
			}
			t.Fatalf("%+v is not within %g of %+v\nin %+v", c, resolution, front, s)
		})
	}
}

// Work that divides is never slower when it is shared by throughput.
func TestThroughputSplitIsNeverSlower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range cases {
			s := drawRuled(t, ByThroughput)
			g := s
			g.Split = ByGPUs
			counts := make([]int, len(s.VMs))
			for i, v := range s.VMs {
				counts[i] = rapid.IntRange(0, v.Limit).Draw(t, "count")
			}
			fast, ok := s.Evaluate(0, counts)
			slow, _ := g.Evaluate(0, counts)
			if ok && fast.Seconds > slow.Seconds*(1+1e-12) {
				t.Fatalf("%v takes %g s by throughput, %g s by GPUs\nin %+v", counts, fast.Seconds, slow.Seconds, s)
			}
		}
	})
}
