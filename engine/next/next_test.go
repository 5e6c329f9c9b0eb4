package next

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
)

func spread(v, rel float64) estimate.Estimate { return estimate.Spread(v, rel, estimate.Transferred) }

// The closed form against what it means: draw the option, choose, average.
func TestSavingIsTheMeanOverDraws(t *testing.T) {
	unmeasured := []Option{{Value: spread(12, 1.2), Probe: 1}, {Value: spread(9.5, 0.4), Probe: 1}}
	beside := append([]Option{{Value: spread(10, 0.02), Measured: true}, {Value: spread(11, 0.02), Measured: true}},
		unmeasured...)
	rng := rand.New(rand.NewPCG(1, 2))
	const draws = 400_000
	for _, options := range [][]Option{unmeasured, beside} {
		choice := Choose(options)
		for _, a := range Values(options) {
			// What is taken where this option turns out badly.
			otherwise := math.Inf(1)
			for i, o := range options {
				if i != a.Option && o.Measured == options[choice].Measured {
					otherwise = math.Min(otherwise, mean(o.Value))
				}
			}
			mu, sigma := lognormal(options[a.Option].Value)
			var sum float64
			for range draws {
				x := math.Exp(mu + sigma*rng.NormFloat64())
				without := otherwise
				if a.Option == choice {
					without = x
				}
				sum += without - math.Min(x, otherwise)
			}
			if got := sum / draws; math.Abs(got-a.Saving) > 0.02 {
				t.Errorf("of %d, option %d: closed form %g, drawn %g", len(options), a.Option, a.Saving, got)
			}
		}
	}
}

func TestStopsWhenNothingPays(t *testing.T) {
	measured := Option{Value: spread(10, 0.02), Measured: true}
	for name, c := range map[string]struct {
		options []Option
		want    int // -1 none
	}{
		"nothing":             {nil, -1},
		"only measured":       {[]Option{measured, measured}, -1},
		"the only one":        {[]Option{{Value: spread(10, 1)}}, -1},
		"far above":           {[]Option{measured, {Value: spread(100, 0.3), Probe: 0.1}}, -1},
		"too dear to look at": {[]Option{measured, {Value: spread(10, 0.5), Probe: 5}}, -1},
		"unsure and near":     {[]Option{measured, {Value: spread(10, 0.5), Probe: 0.1}}, 1},
		"the surest is useless": {[]Option{measured, {Value: spread(10, 0.5), Probe: 0.1},
			{Value: spread(11, 0.01), Probe: 0.1}}, 1},
		"chosen but unsure": {[]Option{measured, {Value: spread(7, 0.8), Probe: 0.1}}, 1},
		"unknown":           {[]Option{measured, {Probe: 0}}, -1},
	} {
		a, ok := Best(c.options)
		if ok != (c.want >= 0) || ok && a.Option != c.want {
			t.Errorf("%s: %+v, %v", name, a, ok)
		}
	}
}

// Whatever the numbers: knowing never harms, a probe that costs nothing is
// worth no less than a dear one, and the unit does not matter.
func TestValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		options := make([]Option, n)
		scaled := make([]Option, n)
		for i := range options {
			options[i] = Option{
				Value:    spread(rapid.Float64Range(0.1, 100).Draw(t, "value"), rapid.Float64Range(0, 3).Draw(t, "spread")),
				Measured: rapid.Bool().Draw(t, "measured"), Probe: rapid.Float64Range(0, 10).Draw(t, "probe"),
			}
			scaled[i] = Option{options[i].Value.Times(60), options[i].Measured, options[i].Probe * 60}
		}
		a, b := Values(options), Values(scaled)
		for i := range a {
			if a[i].Saving < 0 || a[i].Changes < 0 || a[i].Changes > 1 || math.IsNaN(a[i].Saving) {
				t.Fatalf("%+v", a[i])
			}
			if math.Abs(b[i].Saving-60*a[i].Saving) > 1e-6*(1+b[i].Saving) || math.Abs(a[i].Changes-b[i].Changes) > 1e-9 {
				t.Fatalf("in another unit %+v is %+v", a[i], b[i])
			}
			if options[a[i].Option].Measured {
				t.Fatalf("advises to probe again: %+v", a[i])
			}
		}
	})
}
