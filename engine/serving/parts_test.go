package serving

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func names(v Variants, indices []int) []string {
	var list []string
	for _, i := range indices {
		list = append(list, v.List[i].Name)
	}
	return list
}

func TestVariants(t *testing.T) {
	nan := math.NaN()
	v := Variants{List: []Variant{
		{"slow", 0.83, 1.3, 9}, {"good", 0.8, 0.45, 4}, {"dear", 0.8, 0.45, 5}, {"fast", 0.7, 0.1, 1},
		{"worse", 0.69, 0.2, 2},
		{"unknown", nan, 0.2, 2}, {"untimed", 0.9, nan, nan},
	}}
	for name, c := range map[string]struct{ got, want []string }{
		"iso-latency": {names(v, v.Within(Limits{LatencyS: new(0.5)}, Accuracy)),
			[]string{"good", "dear", "fast", "worse", "unknown"}},
		"iso-accuracy": {names(v, v.Within(Limits{Accuracy: new(0.8)}, Latency)),
			[]string{"good", "dear", "slow", "untimed"}},
		"iso-cost": {names(v, v.Within(Limits{USDPerMillion: new(4.0)}, Accuracy)),
			[]string{"good", "fast", "worse", "unknown"}},
		"frontier": {names(v, v.Frontier()), []string{"fast", "good", "dear", "slow"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	for _, c := range []struct {
		limits Limits
		by     Objective
		want   string
	}{
		{Limits{Accuracy: new(0.75), LatencyS: new(0.5)}, Cost, "good"},
		{Limits{Accuracy: new(0.6), USDPerMillion: new(4.0)}, Latency, "fast"},
		{Limits{LatencyS: new(0.5), USDPerMillion: new(3.0)}, Accuracy, "fast"},
	} {
		if kept := names(v, v.Within(c.limits, c.by)); len(kept) == 0 || kept[0] != c.want {
			t.Errorf("%v, want %s first", kept, c.want)
		}
	}
	if kept := v.Within(Limits{Accuracy: new(0.99), LatencyS: new(0.5)}, Cost); len(kept) > 0 {
		t.Errorf("nothing is that accurate: %v", kept)
	}
	loss := Variants{List: []Variant{{"a", 0.1, 1, 1}, {"b", 0.2, 0.5, 1}, {"c", 0.3, 0.6, 1}}, LowerIsBetter: true}
	if got := names(loss, loss.Within(Limits{Accuracy: new(0.25)}, Latency)); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("of a loss: %v", got)
	}
	if got := names(loss, loss.Frontier()); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("frontier of a loss: %v", got)
	}
}

func TestCapacityWithin(t *testing.T) {
	points := []BatchPoint{{4, 0.3, 0.4}, {1, 0.1, 0.15}, {8, 0.5, 0.8}}
	for _, c := range []struct {
		limit, batch, perSecond float64
	}{
		{0.1, 0, 0}, {0.15, 1, 10}, {0.4, 4, 4 / 0.3}, {0.6, 6, 6 / 0.4}, {0.45, 4, 4 / 0.3}, {0.8, 8, 16}, {99, 8, 16},
	} {
		got, ok, err := CapacityWithin(points, c.limit)
		if err != nil || ok != (c.batch > 0) || got.Batch != c.batch ||
			ok && math.Abs(got.RequestsPerSecond()-c.perSecond) > 1e-9 {
			t.Errorf("within %g s: %+v %v %v", c.limit, got, ok, err)
		}
		if ok && got.P99S > c.limit {
			t.Errorf("within %g s: p99 %g s", c.limit, got.P99S)
		}
	}
	// What a larger batch does again counts no more.
	if got, _, _ := CapacityWithin([]BatchPoint{{1, 0.1, 0.2}, {2, 0.1, 0.9}, {3, 0.1, 0.3}}, 0.5); got.Batch != 1 {
		t.Errorf("past a batch that is too slow: %+v", got)
	}
	for _, bad := range [][]BatchPoint{{{0, 1, 1}}, {{1, 0, 1}}, {{1, 2, 1}}, {{1, 1, math.NaN()}}, {{1, 1, math.Inf(1)}},
		{{1, 1, 1}, {1, 1, 1}}} {
		if _, _, err := CapacityWithin(bad, 1); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

// Figure 7: with memory the time of a million requests falls and their cost rises;
// past its knee of 2 GiB SqueezeNet gains nothing and costs more.
func TestMemoryFigure7(t *testing.T) {
	for name, m := range map[string]Memory{
		"squeezenet": {FixedS: 0.02, ScalingS: 0.05, KneeGiB: 2, MinGiB: 0.5, MaxGiB: 3},
		"resnet-50":  {FixedS: 0.05, ScalingS: 0.2, KneeGiB: 3, MinGiB: 0.75, MaxGiB: 3},
		"nasnet":     {FixedS: 0.1, ScalingS: 0.9, KneeGiB: 3, MinGiB: 1.5, MaxGiB: 3},
	} {
		choices := m.Choices(PublicPrices())
		if first, last := choices[0], choices[len(choices)-1]; first.MemoryGiB != m.MinGiB || last.MemoryGiB != m.MaxGiB ||
			last.USDPerMillion <= first.USDPerMillion {
			t.Errorf("%s: from %+v to %+v", name, first, last)
		}
		for i := 1; i < len(choices); i++ {
			a, b := choices[i-1], choices[i]
			// A millisecond's rounding may cost or spare a little.
			grain := b.MemoryGiB * 0.001 * PublicPrices().USDPerGBSecond * 1e6
			if b.Seconds > a.Seconds || b.USDPerMillion < a.USDPerMillion-grain {
				t.Errorf("%s: from %+v to %+v", name, a, b)
			}
			if a.MemoryGiB >= m.KneeGiB && (b.Seconds != a.Seconds || b.USDPerMillion <= a.USDPerMillion) {
				t.Errorf("%s past its knee: from %+v to %+v", name, a, b)
			}
		}
		for _, limit := range []float64{0.01, 0.1, 0.3, 0.5, 1, 5} {
			best, ok := m.Cheapest(limit, PublicPrices())
			if ok && best.Seconds > limit || !ok && m.Seconds(m.MaxGiB) <= limit {
				t.Errorf("%s within %g s: %+v %v", name, limit, best, ok)
			}
			for _, c := range choices {
				if c.Seconds <= limit && c.USDPerMillion < best.USDPerMillion {
					t.Errorf("%s within %g s: %+v is cheaper than %+v", name, limit, c, best)
				}
			}
		}
	}
}

func TestPrices(t *testing.T) {
	f := Function{MemoryGiB: 2, Seconds: 0.3, Prices: PublicPrices()}
	// 2 GiB × 0.3 s × $0.0000166667 and $0.20 a million.
	if got, want := f.USDPerRequest(), 0.6*0.0000166667+2e-7; math.Abs(got-want) > 1e-15 {
		t.Errorf("a request costs $%g, want $%g", got, want)
	}
	vm := VM{USDPerHour: 0.1, RequestsPerSecond: 10}
	rate, ok := BreakEven(vm, f)
	if !ok || math.Abs(rate*3600*f.USDPerRequest()-0.1) > 1e-12 {
		t.Errorf("break-even at %g requests/s", rate)
	}
	vm.RequestsPerSecond = 2
	if rate, ok := BreakEven(vm, f); ok {
		t.Errorf("a VM of 2 requests/s breaks even at %g", rate)
	}
	for _, c := range []struct{ minimum, increment, alive, want int }{
		{0, 0, 7, 7}, {60, 1, 7, 60}, {60, 1, 61, 61}, {0, 3600, 1, 3600}, {0, 3600, 3601, 7200}, {60, 50, 7, 100},
	} {
		if got := (VM{MinimumS: c.minimum, IncrementS: c.increment}).Billed(c.alive); got != c.want {
			t.Errorf("%+v: billed %d s", c, got)
		}
	}
}

// Figure 3: the iso-latency models, 0.1 to 0.5 s on a core of an m4.large ($0.10/h,
// two of them), for an hour. VMs are cheaper at each of the study's rates. The
// times are assumed, as the study does not print them.
func TestVMsAreCheaperFigure3(t *testing.T) {
	for _, seconds := range []float64{0.1, 0.2, 0.3, 0.4, 0.5} {
		for _, rate := range []int{10, 50, 100, 200} {
			s := Defaults()
			s.VM = VM{USDPerHour: 0.1, RequestsPerSecond: 2 / seconds, LatencyS: seconds, StartS: 200}
			s.Function.MemoryGiB, s.Function.Seconds = 2, seconds
			want := CostOfConstant(rate, 3600, s)
			if want.VMUSD >= want.FunctionsUSD {
				t.Errorf("%g s at %d requests/s: VMs $%.3f, functions $%.3f", seconds, rate, want.VMUSD, want.FunctionsUSD)
			}
			tr := Constant(3600, float64(rate))
			vms, err := Simulate(tr, s, Reactive)
			if err != nil || math.Abs(vms.USD-want.VMUSD) > 1e-9 || vms.MostVMs != want.VMs || vms.Violations.Total() != 0 {
				t.Errorf("%g s at %d requests/s on VMs: %v, %+v, closed form %+v", seconds, rate, err, vms, want)
			}
			functions, err := Simulate(tr, s, FunctionsOnly)
			if err != nil || math.Abs(functions.USD-want.FunctionsUSD) > 1e-9 || functions.ColdStarts != int64(want.ColdStarts) {
				t.Errorf("%g s at %d requests/s on functions: %v, %+v, closed form %+v", seconds, rate, err, functions, want)
			}
		}
	}
}

// The closed form holds for any function, not for the study's alone.
func TestConstantLoadInClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySettings(t)
		s.Function.KeepAliveS, s.Function.Prewarmed = rapid.IntRange(1, 10).Draw(t, "kept"), 0
		rate, seconds := rapid.IntRange(0, 50).Draw(t, "rate"), rapid.IntRange(1, 200).Draw(t, "seconds")
		want := CostOfConstant(rate, seconds, s)
		o, err := Simulate(Constant(seconds, float64(rate)), s, FunctionsOnly)
		if err != nil || math.Abs(o.USD-want.FunctionsUSD) > 1e-9 || o.ColdStarts != int64(want.ColdStarts) {
			t.Fatalf("%v: simulated $%g with %d cold starts, closed form %+v", err, o.USD, o.ColdStarts, want)
		}
	})
}

func TestTrace(t *testing.T) {
	tr := Trace{1, 2, 3, 4, 5, 90}
	if tr.Requests() != 105 || tr.Peak() != 90 || !slices.Equal(tr.Buckets(4), []int{10, 95}) {
		t.Errorf("%d requests, peak %d, buckets %v", tr.Requests(), tr.Peak(), tr.Buckets(4))
	}
	if got, ok := tr.PeakToMedian(1); !ok || math.Abs(got-90/3.5) > 1e-12 {
		t.Errorf("peak to median %g", got)
	}
	if got, ok := tr.PeakToMedian(4); !ok || got != 1 {
		t.Errorf("an incomplete bucket counts: %g", got)
	}
	if _, ok := (Trace{0, 0, 9}).PeakToMedian(1); ok {
		t.Error("a median of 0 has a ratio")
	}
	if _, ok := (Trace{}).PeakToMedian(60); ok {
		t.Error("an empty trace has a ratio")
	}
	if got := (Trace{1, 1, 1, 1}).Scaled(1.5); !slices.Equal(got, Trace{1, 2, 1, 2}) {
		t.Errorf("scaled %v", got)
	}
	if got := Constant(4, 1.5); !slices.Equal(got, Trace{1, 2, 1, 2}) {
		t.Errorf("constant %v", got)
	}
}

// A generator gives the mean it states, the same trace for the same seed, and
// another for another.
func TestGenerators(t *testing.T) {
	crowd := FlashCrowd{Base: 100, Factor: 3, AtS: 1000, RiseS: 100, HoldS: 200, DecayS: 100}
	bursty := Bursty{Calm: 50, Burst: 200, CalmS: 30, BurstS: 10}
	for name, c := range map[string]struct {
		trace     func(seed uint64) Trace
		mean      float64
		tolerance float64 // relative, above four deviations
	}{
		"poisson":     {func(seed uint64) Trace { return Poisson(20000, Steady(100), seed) }, 100, 0.003},
		"diurnal":     {func(seed uint64) Trace { return Poisson(20000, Diurnal{100, 0.5, 5000, 0}.Rate, seed) }, 100, 0.003},
		"flash crowd": {func(seed uint64) Trace { return Poisson(20000, crowd.Rate, seed) }, 100 + 200*350/20000.0, 0.003},
		"bursty":      {func(seed uint64) Trace { return bursty.Trace(20000, seed) }, 87.5, 0.15},
	} {
		a, b, other := c.trace(1), c.trace(1), c.trace(2)
		if !slices.Equal(a, b) || slices.Equal(a, other) {
			t.Errorf("%s does not follow its seed", name)
		}
		if mean := float64(a.Requests()) / 20000; math.Abs(mean/c.mean-1) > c.tolerance {
			t.Errorf("%s: %g requests/s, want %g", name, mean, c.mean)
		}
		if err := a.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := crowd.Rate(999); got != 100 {
		t.Errorf("before the crowd %g", got)
	}
	if got := crowd.Rate(1150); got != 300 {
		t.Errorf("at its peak %g", got)
	}
	if got := Poisson(3, Steady(-1), 1); !slices.Equal(got, Trace{0, 0, 0}) {
		t.Errorf("of a negative rate %v", got)
	}
}
