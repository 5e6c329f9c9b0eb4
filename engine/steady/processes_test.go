package steady

import (
	"math"
	"testing"

	"pgregory.net/rapid"
	"sweetspot/engine/estimate"
)

// draw makes n runs of a truth of 1: each process has a mean of its own, and
// each run knows it up to the noise within.
func draw(n int, within, between float64, seed uint64) (runs []estimate.Estimate, next float64) {
	r := source(seed)
	for range n {
		m := 1 + between*r.NormFloat64() + within*r.NormFloat64()
		runs = append(runs, estimate.Around(m, estimate.Z90*within, estimate.Measured))
	}
	return runs, 1 + between*r.NormFloat64()
}

// Nine in ten intervals hold the truth, be there few runs or many and whichever
// spread is the larger. Where two runs or the own errors alone decide the
// interval is too wide rather than too narrow.
func TestBetweenCovers(t *testing.T) {
	const trials = 2000
	for _, c := range []struct {
		n               int
		within, between float64
		most            float64
	}{
		{2, 0.01, 0.03, 0.95}, {3, 0.01, 0.03, 0.95}, {5, 0.01, 0.03, 0.94}, {10, 0.01, 0.03, 0.93},
		{2, 0.02, 0, 1}, {5, 0.02, 0, 1}, {10, 0.02, 0.01, 1},
	} {
		mean, next := 0, 0
		for seed := range uint64(trials) {
			runs, truth := draw(c.n, c.within, c.between, seed)
			p := Between(runs)
			if p.Mean.Low <= 1 && 1 <= p.Mean.High {
				mean++
			}
			if p.Next.Low <= truth && truth <= p.Next.High {
				next++
			}
		}
		for what, got := range map[string]float64{"mean": float64(mean) / trials, "next": float64(next) / trials} {
			if got < 0.87 || got > c.most {
				t.Errorf("%+v: the interval of the %s holds the truth in %.3f", c, what, got)
			}
		}
	}
}

// The two spreads come out as they were put in.
func TestBetweenTellsTheSpreadsApart(t *testing.T) {
	var within, between float64
	const trials = 500
	for seed := range uint64(trials) {
		runs, _ := draw(8, 0.01, 0.03, seed)
		p := Between(runs)
		within += p.Within / trials
		if p.Between != nil {
			between += *p.Between * *p.Between / trials
		}
	}
	if math.Abs(within-0.01) > 1e-6 || math.Abs(math.Sqrt(between)-0.03) > 0.002 {
		t.Errorf("within %v and between %v, put in 0.01 and 0.03", within, math.Sqrt(between))
	}
}

func TestBetweenFewRuns(t *testing.T) {
	if p := Between(nil); p.Mean.Known() || p.Between != nil {
		t.Errorf("of no runs: %+v", p)
	}
	one := estimate.Around(2, 0.1, estimate.Measured)
	if p := Between([]estimate.Estimate{one}); p.Mean != one || p.Next != one || p.Between != nil {
		t.Errorf("one run says nothing of the spread between runs: %+v", p)
	}
}

// Means that differ by less than their own errors say nothing of a spread
// between processes: that it is 0 was not measured.
func TestNoSpreadBetweenIsUnknown(t *testing.T) {
	run := func(mean float64) estimate.Estimate { return estimate.Around(mean, 0.25e-3, estimate.Measured) }
	if p := Between([]estimate.Estimate{run(3.22e-3), run(3.15e-3)}); p.Between != nil || p.Within < 0.15e-3 ||
		p.Within > 0.153e-3 {
		t.Errorf("between %v, within %v", p.Between, p.Within)
	}
	if p := Between([]estimate.Estimate{run(3.22e-3), run(4.15e-3)}); p.Between == nil || *p.Between < 0.5e-3 {
		t.Errorf("means far apart: %+v", p)
	}
}

func TestBetweenProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := make([]estimate.Estimate, rapid.IntRange(1, 6).Draw(t, "n"))
		low, high, best := math.Inf(1), 0.0, math.Inf(1)
		for i := range runs {
			v := rapid.Float64Range(0.1, 10).Draw(t, "value")
			runs[i] = estimate.Spread(v, rapid.Float64Range(0.001, 0.5).Draw(t, "rel"), estimate.Measured)
			low, high, best = min(low, v), max(high, v), min(best, runs[i].High-runs[i].Low)
		}
		p := Between(runs)
		if p.Mean.Value < low-1e-9 || p.Mean.Value > high+1e-9 {
			t.Fatalf("mean %v outside %v … %v", p.Mean.Value, low, high)
		}
		for _, e := range []estimate.Estimate{p.Mean, p.Next} {
			if !(0 < e.Low && e.Low <= e.Value && e.Value <= e.High) {
				t.Fatalf("interval %+v", e)
			}
		}
		if p.Next.High < p.Mean.High-1e-12 {
			t.Fatalf("one more process is better known than the mean: %+v", p)
		}
		if n := float64(len(runs)); p.Mean.High-p.Mean.Value < best/2/n/1.6 {
			t.Fatalf("narrower than the runs' own errors: %+v of %+v", p.Mean, runs)
		}
	})
}
