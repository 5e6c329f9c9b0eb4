package steady

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stalls is a series in which every every-th iteration is long, the first of
// them after phase others.
func stalls(n, every, phase int, longer, noise float64, seed uint64) []float64 {
	r := source(seed)
	x := make([]float64, n)
	for i := range x {
		x[i] = step * (1 + noise*r.NormFloat64())
		if i > 0 && (i-1)%every == phase {
			x[i] *= 1 + longer
		}
	}
	return x
}

// Whatever the period and the phase, it is found, and the mean is that of whole
// periods: a part of one at either end does not move it.
func TestPeriodIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every := rapid.IntRange(2, 60).Draw(t, "every")
		phase := rapid.IntRange(0, every-1).Draw(t, "phase")
		longer := rapid.Float64Range(0.5, 20).Draw(t, "longer")
		n := every*6 + rapid.IntRange(30, 100).Draw(t, "more")
		s := Summarise(stalls(n, every, phase, longer, 0.005, rapid.Uint64().Draw(t, "seed")))
		if !s.IsSteady {
			t.Skip("the first long ones may look like a warm-up for a while")
		}
		if s.Period != every || s.Cycles < minPeriods {
			t.Fatalf("period %d of %d whole ones, put in %d", s.Period, s.Cycles, every)
		}
		if want := step * (1 + longer/float64(every)); math.Abs(s.Steady.Value/want-1) > 0.01 {
			t.Fatalf("mean %v, want %v", s.Steady.Value, want)
		}
	})
}

func TestNoPeriodInNoise(t *testing.T) {
	found := 0
	const runs = 400
	for seed := range uint64(runs) {
		r := source(seed)
		x := make([]float64, 300)
		for i := range x {
			x[i] = step * (1 + 0.02*r.NormFloat64())
			if r.Float64() < 0.05 {
				x[i] *= 3 // stalls that come as they like
			}
		}
		if Summarise(x).Period != 0 {
			found++
		}
	}
	if found > runs/50 {
		t.Errorf("a period found in %d of %d series without", found, runs)
	}
}

// A window with no, one or two long iterations is not precise, however alike
// the others are: before three periods have passed, nobody knows how many there are.
func TestFewStallsAreNotPrecise(t *testing.T) {
	rule := DefaultRule()
	rule.MinSeconds = 0
	for _, every := range []int{15, 20, 30, 40} {
		for phase := range every {
			x := stalls(8*every+200, every, phase, 2, 0.005, uint64(phase))
			s, ok := replay(x, rule)
			if !ok {
				t.Errorf("every %d from %d: never precise", every, phase)
				continue
			}
			seen := 0
			for _, v := range x[10:s.Total] {
				if v > 2*step {
					seen++
				}
			}
			if seen == 0 {
				continue // none came beside the warm-up in the least number of iterations
			}
			if want := step * (1 + 2/float64(every)); seen < 3 || math.Abs(s.Steady.Value/want-1) > 0.01 {
				t.Errorf("every %d from %d: precise after %d long iterations, mean off by %.1f %%", every, phase, seen,
					100*(s.Steady.Value/want-1))
			}
		}
	}
}

func TestCutStallMayComeBack(t *testing.T) {
	x := stalls(60, 1000, 18, 5, 0.005, 1)
	if s := Summarise(x[:50]); s.IsSteady && s.Warmup > 18 ||
		!s.IsSteady && !strings.Contains(s.Why, "iteration 20 may come back: 30 iterations since") {
		t.Errorf("one long iteration was cut and forgotten at once: %+v", s)
	}
	if s := Summarise(stalls(400, 1000, 18, 5, 0.005, 1)); !s.IsSteady || s.Warmup < 19 || s.Steady.HalfWidth() > 0.002 {
		t.Errorf("one long iteration long ago: %+v", s)
	}
}

// Drift is flagged where it is, on real time scales.
func TestDriftIsFlagged(t *testing.T) {
	for _, c := range []struct {
		name string
		at   func(i float64) float64
	}{
		{"warming", func(i float64) float64 { return 1 + 0.05*(1-math.Exp(-i/60)) }},
		{"rising", func(i float64) float64 { return 1 + 0.0003*i }},
		{"falling", func(i float64) float64 { return 1 - 0.0003*i }},
	} {
		flagged := 0
		const runs = 50
		for seed := range uint64(runs) {
			r := source(seed)
			x := make([]float64, 120)
			for i := range x {
				x[i] = step * c.at(float64(i)) * (1 + 0.005*r.NormFloat64())
			}
			if s := Summarise(x); !s.IsSteady || s.Drift != 0 {
				flagged++
			}
		}
		if flagged < runs*8/10 {
			t.Errorf("%s: flagged in %d of %d", c.name, flagged, runs)
		}
	}
}
