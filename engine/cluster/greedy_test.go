package cluster

import (
	"math"
	"slices"
	"testing"
)

// caffeNet is the study's case: the versions of CaffeNet whose time on one K80
// the text gives (50,000 images in 167 batches of 300: sections 4.3.1, 4.3.2),
// on the six VM types of its table 3. An M60 is as much faster than a K80 as
// figure 12's CAR of $0.35 against $0.57 makes it at their prices.
func caffeNet(limit int, split Split) Space {
	s := Space{Units: 1e6, Split: split}
	m60 := 0.35 / 0.57 * 0.90 / 1.14
	var slower []float64
	for _, v := range []struct {
		gpus   int
		usd    float64
		slower float64
	}{{1, 0.90, 1}, {8, 7.20, 1}, {16, 14.40, 1}, {1, 1.14, m60}, {2, 2.28, m60}, {4, 4.56, m60}} {
		s.VMs = append(s.VMs, VMType{GPUs: v.gpus, Limit: limit, USDPerHour: v.usd})
		slower = append(slower, v.slower)
	}
	for _, v := range []struct{ minutes, accuracy float64 }{
		{19, 0.80}, {18.4, 0.80}, {16.7, 0.80}, {13, 0.70}, {11, 0.62}, {16.6, 0}, {14, 0.25},
	} {
		variant := Variant{Accuracy: new(v.accuracy)}
		for _, f := range slower {
			variant.Batches = append(variant.Batches, Batch{Size: 300, Seconds: v.minutes * 60 / 167 * f})
		}
		s.Variants = append(s.Variants, variant)
	}
	return s
}

func TestCaffeNetAgainstAllCombinations(t *testing.T) {
	for _, split := range []Split{ByThroughput, ByGPUs} {
		s := caffeNet(3, split)
		f, err := s.Frontiers()
		if err != nil {
			t.Fatal(err)
		}
		if f.Explored != (Explored{Configurations: 7 * 4095, Method: "exact"}) {
			t.Errorf("explored %+v", f.Explored)
		}
		for i := range s.Variants {
			checkFrontier(t, s, i, f.Variants[i])
		}
		l := Limits{MaxSeconds: new(3600.0), MaxUSD: new(10.0)}
		best, ok := f.Within(l).MostAccurate()
		if !ok {
			t.Fatal("nothing within an hour and $10")
		}
		cheapest := math.Inf(1)
		for i, v := range s.Variants {
			if *v.Accuracy == 0.80 {
				s.every(i, func(c Configuration) {
					if c.Seconds <= 3600 && c.USD <= 10 {
						cheapest = math.Min(cheapest, c.USD)
					}
				})
			}
		}
		if *s.Variants[best.Variant].Accuracy != 0.80 || math.Abs(best.USD/cheapest-1) > equal {
			t.Errorf("%s: best %+v, cheapest at 80 %% $%g", split, best, cheapest)
		}
	}
}

func TestGreedyTakesTheFirstHit(t *testing.T) {
	s := caffeNet(3, ByGPUs)
	// conv2-50 is the fastest version at 80 %; an M60 has the lowest CAR.
	got, ok := s.Greedy(Limits{})
	if !ok || got.Variant != 2 || !slices.Equal(got.Counts, []int{0, 0, 0, 1, 0, 0}) {
		t.Errorf("without limits %+v, %v", got, ok)
	}
	// Within an hour: g3 types in the order given until there are enough GPUs.
	got, ok = s.Greedy(Limits{MaxSeconds: new(3600.0), MaxUSD: new(10.0)})
	if !ok || got.Variant != 2 || !slices.Equal(got.Counts, []int{0, 0, 0, 3, 0, 0}) || got.Seconds >= 3600 {
		t.Errorf("within an hour %+v, %v", got, ok)
	}
	// The limits are strict, as line 9 prints them.
	if strict, _ := s.Greedy(Limits{MaxSeconds: &got.Seconds}); strict.VMCount() != 4 {
		t.Errorf("at its own time %+v", strict)
	}
	if got, ok := s.Greedy(Limits{WorstAccuracy: new(0.9)}); ok {
		t.Errorf("at 90 %% accuracy %+v", got)
	}
}

// Where a slow VM that is good value joins fast ones, a split by GPUs waits for
// it: adding VMs in the order of CAR goes past what the exact answer finds.
func TestGreedyCanMissWhatThereIs(t *testing.T) {
	s := Space{
		Units: 3600, Split: ByGPUs, VMs: []VMType{{GPUs: 1, Limit: 2, USDPerHour: 0.1}, {GPUs: 1, Limit: 2, USDPerHour: 2}},
		Variants: []Variant{{Accuracy: new(0.8), Batches: []Batch{{1, 1}, {1, 0.1}}}},
	}
	l := Limits{MaxSeconds: new(400.0)}
	if got, ok := s.Greedy(l); ok {
		t.Fatalf("found %+v", got)
	}
	f, err := s.Frontiers()
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Within(l).TimeCost; len(got) != 1 || !slices.Equal(got[0].Counts, []int{0, 2}) {
		t.Errorf("exact %+v", got)
	}
}

func TestSenselessSpaces(t *testing.T) {
	for name, spoil := range map[string]func(*Space){
		"units":   func(s *Space) { s.Units = math.NaN() },
		"split":   func(s *Space) { s.Split = "evenly" },
		"types":   func(s *Space) { s.VMs = nil },
		"limit":   func(s *Space) { s.VMs[0].Limit = -1 },
		"limits":  func(s *Space) { s.VMs[1].Limit, s.VMs[2].Limit = 1<<13, 1<<13 },
		"gpus":    func(s *Space) { s.VMs[1].GPUs = 1 << 40 },
		"price":   func(s *Space) { s.VMs[0].USDPerHour = math.Inf(1) },
		"batches": func(s *Space) { s.Variants[0].Batches = nil },
		"batch":   func(s *Space) { s.Variants[0].Batches[0].Size = 0 },
	} {
		s := caffeNet(1, ByThroughput)
		spoil(&s)
		if f, err := s.Frontiers(); err == nil {
			t.Errorf("%s: %+v", name, f.Explored)
		}
	}
}
