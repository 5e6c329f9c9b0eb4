package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// market draws the benchmark's space: 12 VM types, 0 to 8 of each, 60 variants.
// Speeds of GPUs spread over a factor of 40, evenly in the logarithm; a VM has
// 1, 2, 4 or 8 GPUs; a variant takes 0.3 to 1 of the time of the slowest one,
// and every type deviates from that by up to a tenth. The kinds differ in the
// price of a VM:
//
//	random        uniform from $0.10 to $30, whatever its speed
//	proportional  its speed of the first variant ± 20 %
//	tight         the same ± 1 %
//	equal         the same exactly: no type is better value than another
func market(kind string, split Split) Space {
	rng := rand.New(rand.NewPCG(12, 60))
	s := Space{Units: 1e7, Split: split, Variants: make([]Variant, 60)}
	for range 12 {
		gpus := 1 << rng.IntN(4)
		speed := 50 * math.Exp(rng.Float64()*math.Log(40))
		usd := 0.1 + 29.9*rng.Float64()
		noise := 2*rng.Float64() - 1
		fair := float64(gpus) * speed / 500
		switch kind {
		case "proportional":
			usd = fair * (1 + 0.2*noise)
		case "tight":
			usd = fair * (1 + 0.01*noise)
		case "equal":
			usd = fair
		}
		s.VMs = append(s.VMs, VMType{GPUs: gpus, Limit: 8, USDPerHour: usd})
		for i := range s.Variants {
			faster := 0.3 + 0.7*float64(i)/59
			if kind == "random" || kind == "proportional" {
				faster *= 0.9 + 0.2*rng.Float64()
			}
			s.Variants[i].Batches = append(s.Variants[i].Batches, Batch{Size: 256, Seconds: 256 * faster / speed})
		}
	}
	for i := range s.Variants {
		s.Variants[i].Accuracy = new(0.5 + 0.4*float64(i)/59)
	}
	return s
}

var kinds = []string{"random", "proportional", "tight", "equal"}

// run finds the frontiers and reports how many points they have.
func run(b *testing.B, s Space) {
	var f *Frontiers
	for b.Loop() {
		f, _ = s.Frontiers()
	}
	points := 0
	for _, front := range f.Variants {
		points += len(front)
	}
	b.ReportMetric(float64(points), "points")
	b.ReportMetric(f.Explored.Configurations, "configurations")
	b.ReportMetric(f.Explored.Resolution, "resolution")
}

// BenchmarkExactFrontier is the whole answer for 1.7·10¹³ configurations at
// random prices.
func BenchmarkExactFrontier(b *testing.B) {
	for _, split := range []Split{ByThroughput, ByGPUs} {
		b.Run(string(split), func(b *testing.B) { run(b, market("random", split)) })
	}
}

// BenchmarkFrontierPrices is the same at prices that are harder.
func BenchmarkFrontierPrices(b *testing.B) {
	for _, split := range []Split{ByThroughput, ByGPUs} {
		for _, kind := range kinds[1:] {
			b.Run(string(split)+"/"+kind, func(b *testing.B) { run(b, market(kind, split)) })
		}
	}
}

// BenchmarkFrontierRules is one variant with a start-up for all, with billing
// by the second, and with unlike start-ups and minimum periods.
func BenchmarkFrontierRules(b *testing.B) {
	rules := map[string]func(i int, v *VMType){
		"startup": func(_ int, v *VMType) { v.StartupS = 90 },
		"seconds": func(_ int, v *VMType) { v.Billing = Billing{MinimumS: 60, GranularityS: 1} },
		"unlike": func(i int, v *VMType) {
			v.StartupS, v.Billing.MinimumS = []float64{45, 90, 120}[i%3], []float64{0, 60, 600}[i%3]
		},
	}
	for _, split := range []Split{ByThroughput, ByGPUs} {
		for _, rule := range []string{"startup", "seconds", "unlike"} {
			for _, kind := range kinds {
				b.Run(fmt.Sprintf("%s/%s/%s", split, rule, kind), func(b *testing.B) {
					s := market(kind, split)
					s.Units, s.Variants = 1e8, s.Variants[30:31]
					for i := range s.VMs {
						rules[rule](i, &s.VMs[i])
					}
					run(b, s)
				})
			}
		}
	}
}

// BenchmarkWithin is a step of a slider over the frontiers.
func BenchmarkWithin(b *testing.B) {
	f, err := market("random", ByThroughput).Frontiers()
	if err != nil {
		b.Fatal(err)
	}
	l := Limits{MaxSeconds: new(3600.0), MaxUSD: new(500.0), WorstAccuracy: new(0.6)}
	for b.Loop() {
		f.Within(l)
	}
	b.ReportMetric(float64(len(f.byTime)), "points")
}
