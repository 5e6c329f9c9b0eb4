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

func BenchmarkPooled(b *testing.B) {
	for _, startup := range []float64{0, 90} {
		for _, kind := range []string{"random", "proportional", "tight", "equal"} {
			b.Run(fmt.Sprintf("%s/%g", kind, startup), func(b *testing.B) {
				s := market(kind, ByThroughput)
				for i := range s.VMs {
					s.VMs[i].StartupS = startup
				}
				n := 0
				for b.Loop() {
					n = 0
					for v := range 5 {
						front, _ := s.problem(v * 12).frontier()
						n += len(front)
					}
				}
				b.ReportMetric(float64(n)/5, "points")
			})
		}
	}
}

func BenchmarkUnlike(b *testing.B) {
	for _, split := range []Split{ByThroughput, ByGPUs} {
		for _, units := range []float64{1e7, 1e9} {
			for _, kind := range []string{"random", "proportional", "tight"} {
				b.Run(fmt.Sprintf("%s/%s/%g", split, kind, units), func(b *testing.B) {
					s := market(kind, split)
					s.Units = units
					for i := range s.VMs {
						s.VMs[i].StartupS = []float64{45, 90, 120}[i%3]
						s.VMs[i].Billing.MinimumS = []float64{0, 60, 600}[i%3]
					}
					var front []Configuration
					resolution := 0.0
					for b.Loop() {
						front, resolution = s.problem(30).frontier()
					}
					b.ReportMetric(float64(len(front)), "points")
					b.ReportMetric(resolution, "resolution")
				})
			}
		}
	}
}

func BenchmarkAlike(b *testing.B) {
	for _, kind := range []string{"random", "proportional", "tight", "equal"} {
		b.Run(kind, func(b *testing.B) {
			s := market(kind, ByGPUs)
			n := 0
			for b.Loop() {
				front, _ := s.problem(30).frontier()
				n = len(front)
			}
			b.ReportMetric(float64(n), "points")
		})
	}
}
