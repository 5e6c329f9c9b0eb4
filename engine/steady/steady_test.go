package steady

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"sweetspot/engine/estimate"
)

// The error of the mean that the rule makes on the published traces, in
// percent, averaged over 300 runs of 100 iterations; the bounds are the
// published MSER-5 row plus a little.
func TestMeanOfPublishedTraces(t *testing.T) {
	bound := map[string]float64{"warm-up": 0.5, "autotune spikes": 0.5, "periodic stall": 3, "thermal drift": 4}
	for _, tr := range traces {
		t.Run(tr.name, func(t *testing.T) {
			sum, n := 0.0, 0
			for seed := range uint64(300) {
				s := Summarise(tr.take(100, seed))
				if s.First != 30*step {
					t.Fatalf("first iteration %v, want %v", s.First, 30*step)
				}
				if s.IsSteady {
					sum += 100 * math.Abs(s.Steady.Value/tr.mean-1)
					n++
				}
			}
			if n < 250 {
				t.Errorf("only %d of 300 runs steady", n)
			}
			if got := sum / float64(n); got > bound[tr.name] {
				t.Errorf("error of the mean %.2f %%, want at most %v %%", got, bound[tr.name])
			}
		})
	}
}

// The median would hide the stall; the mean must not.
func TestPeriodicStallIsInTheMean(t *testing.T) {
	s := Summarise(traces[2].take(400, 1))
	if math.Abs(s.Steady.Value/(1.1*step)-1) > 0.01 {
		t.Errorf("mean %v, want %v", s.Steady.Value, 1.1*step)
	}
	if math.Abs(s.P50/step-1) > 0.01 || s.P99 < 2.8*step || s.P90 > 1.1*step {
		t.Errorf("p50 %v p90 %v p99 %v do not show a stall every 20th step", s.P50, s.P90, s.P99)
	}
}

func TestWarmupIsCutAndCounted(t *testing.T) {
	x := make([]float64, 101)
	for i := range x {
		x[i] = step
		if i <= 10 {
			x[i] = 3 * step
		}
	}
	x[0] = 2
	s := Summarise(x)
	if s.First != 2 || s.Warmup != 10 || s.N != 90 || math.Abs(s.WarmupExtra-10*2*step) > 1e-9 {
		t.Errorf("got %+v", s)
	}
}

func TestNotSteady(t *testing.T) {
	falling := make([]float64, 200) // still warming up at the end
	for i := range falling {
		falling[i] = step * (1 + 5*math.Exp(-float64(i)/80))
	}
	jump := make([]float64, 101) // a new level in the last quarter
	for i := range jump {
		jump[i] = step
		if i < 75 {
			jump[i] = 2 * step * (1 + 0.02*float64(i%3))
		}
	}
	for name, x := range map[string][]float64{"none": nil, "first only": {1}, "few": falling[:15]} {
		if s := Summarise(x); s.IsSteady || s.Why == "" || s.Steady.Known() {
			t.Errorf("%s: %+v", name, s)
		}
	}
	// Of more there is a rough mean, whose interval holds where they are going.
	for name, x := range map[string][]float64{"falling": falling, "jump": jump} {
		s := Summarise(x)
		if s.IsSteady || s.Why == "" || s.N+s.Warmup+1 != len(x) || s.Steady.HalfWidth() < 0.3 || s.Steady.Low > step ||
			s.Steady.High < x[len(x)-1] {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestDriftWidensItsSide(t *testing.T) {
	r := source(3)
	for _, sign := range []float64{1, -1} {
		x := make([]float64, 301)
		for i := range x {
			x[i] = step * (1 + sign*0.03*float64(i)/300) * (1 + 0.005*r.NormFloat64())
		}
		s := Summarise(x)
		if !s.IsSteady {
			t.Fatalf("drift %v: %s", sign, s.Why)
		}
		if s.Drift*sign < 0.01 {
			t.Errorf("drift %v of 3 %% not seen: %v", sign, s.Drift)
		}
		if end := step * (1 + sign*0.03); end < s.Steady.Low || end > s.Steady.High {
			t.Errorf("the last level %v is outside %+v", end, s.Steady)
		}
	}
}

// How often the interval holds the true mean: near 90 % on independent noise,
// and not far below it on strongly correlated noise.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		n        int
		rho      float64
		low, top float64
	}{
		{101, 0, 0.86, 0.96}, {501, 0, 0.87, 0.96}, {101, 0.5, 0.83, 0.95}, {501, 0.5, 0.87, 0.96}, {1001, 0.8, 0.85, 0.96},
	} {
		in, n, drift := 0, 0, 0
		for seed := range uint64(1000) {
			s := Summarise(ar1(c.n, c.rho, 0.05, seed))
			if !s.IsSteady {
				continue
			}
			n++
			if s.Steady.Low <= step && step <= s.Steady.High {
				in++
			}
			if s.Drift != 0 {
				drift++
			}
		}
		got := float64(in) / float64(n)
		if got < c.low || got > c.top {
			t.Errorf("n %d, rho %v: coverage %.3f outside [%v, %v]", c.n, c.rho, got, c.low, c.top)
		}
		if n < 950 {
			t.Errorf("n %d, rho %v: plain noise called not steady in %d of 1000", c.n, c.rho, 1000-n)
		}
		if drift > 40 {
			t.Errorf("n %d, rho %v: drift seen in %d of %d series without any", c.n, c.rho, drift, n)
		}
	}
}

func times() *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.Float64Range(1e-6, 100), 0, 200)
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := times().Draw(t, "seconds")
		s := Summarise(x)
		if s.Total != len(x) {
			t.Fatalf("total %d of %d", s.Total, len(x))
		}
		if !s.IsSteady {
			if s.Why == "" || s.Steady.Known() != (s.N > 0) {
				t.Fatalf("not steady without a reason, or of no iterations: %+v", s)
			}
			// A rough mean is never exact.
			if e := s.Steady; e.Known() && !(e.Low < e.Value && e.Value < e.High && 1+s.Warmup+s.N == len(x)) {
				t.Fatalf("a rough mean of %+v", s)
			}
			return
		}
		if 1+s.Warmup+s.N != len(x) {
			t.Fatalf("1 + %d + %d iterations of %d", s.Warmup, s.N, len(x))
		}
		if e := s.Steady; !(0 <= e.Low && e.Low <= e.Value && e.Value <= e.High) || e.Basis != estimate.Measured {
			t.Fatalf("interval %+v", e)
		}
		if !(s.P50 <= s.P90 && s.P90 <= s.P99) {
			t.Fatalf("percentiles %v %v %v", s.P50, s.P90, s.P99)
		}
		sum, begin := 0.0, 0.0
		for i, v := range x {
			sum += v
			if i <= s.Warmup {
				begin = sum
			}
		}
		parts := s.First + float64(s.Warmup)*s.Steady.Value + s.WarmupExtra
		if math.Abs(parts-begin) > 1e-9*sum {
			t.Fatalf("the parts of the warm-up add to %v, it took %v", parts, begin)
		}
		// The mean of whole periods leaves out what is not one.
		if total := parts + float64(s.N)*s.Steady.Value; s.Period == 0 && math.Abs(total-sum) > 1e-9*sum {
			t.Fatalf("the parts add to %v, the series to %v", total, sum)
		}
	})
}

// Seconds or hours: only the unit changes. A power of two keeps every
// rounding the same, so the comparison is exact.
func TestScaleInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := times().Draw(t, "seconds")
		k := math.Ldexp(1, rapid.IntRange(-12, 12).Draw(t, "exponent"))
		y := make([]float64, len(x))
		for i := range x {
			y[i] = k * x[i]
		}
		a, b := Summarise(x), Summarise(y)
		a.First, a.WarmupExtra, a.StdDev, a.P50, a.P90, a.P99 = k*a.First, k*a.WarmupExtra, k*a.StdDev, k*a.P50,
			k*a.P90, k*a.P99
		a.Steady = a.Steady.Times(k)
		if a != b {
			t.Fatalf("scaled by %v:\n%+v\n%+v", k, a, b)
		}
	})
}

func TestConstantInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(1e-6, 1e3).Draw(t, "v")
		x := make([]float64, rapid.IntRange(21, 500).Draw(t, "n"))
		for i := range x {
			x[i] = v
		}
		s := Summarise(x)
		if !s.IsSteady || s.Warmup != 0 || s.Drift != 0 || math.Abs(s.Steady.Value/v-1) > 1e-12 ||
			s.Steady.HalfWidth() > 1e-9 {
			t.Fatalf("constant %v: %+v", v, s)
		}
	})
}

// However far the times lie apart, as on a machine that other programs share, the ends of the
// interval are below and above the mean by the same factor, unless the times drift.
func TestIntervalErrsByAFactor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := []float64{1}
		for range rapid.IntRange(3, 12).Draw(t, "stretches") {
			level := rapid.Float64Range(0.01, 1).Draw(t, "level")
			for range rapid.IntRange(10, 60).Draw(t, "length") {
				x = append(x, level*rapid.Float64Range(0.5, 2).Draw(t, "scatter"))
			}
		}
		s := Summarise(x)
		e := s.Steady
		if s.IsSteady && s.Drift == 0 && math.Abs(e.Low*e.High/(e.Value*e.Value)-1) > 1e-9 {
			t.Fatalf("%+v", s)
		}
	})
}

// A growing series gives at every length what Summarise gives at once.
func TestSeriesEqualsSummarise(t *testing.T) {
	x := traces[1].take(200, 4)
	var s Series
	for i, v := range x {
		s.Add(v)
		if got, want := s.Summary(), Summarise(x[:i+1]); got != want {
			t.Fatalf("after %d:\n%+v\n%+v", i+1, got, want)
		}
	}
	held := s.Seconds()
	s.Add(9)
	if len(held) != 200 || held[199] != x[199] {
		t.Error("a slice handed out changed")
	}
}

// Raising is the same as having added the longer time.
func TestRaise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(0.1, 1), 1, 60).Draw(t, "seconds")
		var s Series
		for _, v := range x {
			s.Add(v)
		}
		held, before := s.Seconds(), slices.Clone(x)
		i := rapid.IntRange(0, len(x)-1).Draw(t, "i")
		to := rapid.Float64Range(0.1, 2).Draw(t, "to")
		s.Raise(i, to)
		x[i] = max(x[i], to)
		if got, want := s.Summary(), Summarise(x); got != want {
			t.Fatalf("\n%+v\n%+v", got, want)
		}
		if !slices.Equal(s.Seconds(), x) || !slices.Equal(held, before) {
			t.Fatalf("times %v, held %v", s.Seconds(), held)
		}
	})
}

func BenchmarkJudgeAfterEach10000(b *testing.B) {
	x := ar1(10_000, 0.3, 0.05, 1)
	rule := DefaultRule()
	for b.Loop() {
		var s Series
		for _, v := range x {
			s.Add(v)
			rule.Judge(s.BriefSummary(), 0)
		}
	}
}

// A long probe keeps its times, and little beside them.
func TestASeriesKeepsLittleBesideItsTimes(t *testing.T) {
	var s Series
	const n = 200_000
	for i := range n {
		s.Add(0.1 + float64(i%7)/100)
	}
	beside := 8*(cap(s.times.kept)+cap(s.products.kept)+cap(s.long)) + 24*(cap(s.batches)+cap(s.clipped))
	if beside > 10*n {
		t.Errorf("%d bytes an iteration", beside/n)
	}
}

func TestSumsAreThoseOfAddingInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e9), 1, 4*every).Draw(t, "terms")
		term := func(k int) float64 { return terms[k] }
		var s sums
		for _, x := range terms {
			s.add(x)
		}
		check := func() {
			sum := 0.0
			for i := range s.n + 1 {
				if got := s.of(i, term); got != sum {
					t.Fatalf("the first %d of %d add up to %g, not %g", i, s.n, got, sum)
				}
				if i < s.n {
					sum += terms[i]
				}
			}
		}
		check()
		s.cut(rapid.IntRange(0, s.n).Draw(t, "left"), term)
		check()
		for s.n < len(terms) {
			s.add(terms[s.n])
		}
		check()
	})
}

// Whatever times there are, an estimate has an interval that holds it, or there is
// none.
func TestExtremeTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usual := rapid.Float64Range(0.9, 1.1)
		extreme := rapid.Map(rapid.Float64Range(-300, 300), func(e float64) float64 { return math.Pow(10, e) })
		var s Series
		for range rapid.IntRange(1, 120).Draw(t, "iterations") {
			if rapid.IntRange(0, 20).Draw(t, "extreme") == 0 {
				s.Add(extreme.Draw(t, "seconds"))
			} else {
				s.Add(usual.Draw(t, "seconds"))
			}
			sum := s.Summary()
			DefaultRule().Judge(sum, 10)
			if e := sum.Steady; e.Known() && (!(0 <= e.Low && e.Low <= e.Value && e.Value <= e.High) || math.IsInf(e.High, 0)) {
				t.Fatalf("%+v", sum)
			}
			if sum.IsSteady && !sum.Steady.Known() {
				t.Fatalf("steady without a mean: %+v", sum)
			}
		}
	})
}
