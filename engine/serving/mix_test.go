package serving

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// dealSlowly deals requests out one by one: each goes to the first kind whose share of those
// that come to it grows by a whole request.
func dealSlowly(tr Trace, shares []float64) []Trace {
	parts := make([]Trace, len(shares))
	for k := range parts {
		parts[k] = make(Trace, len(tr))
	}
	seen := make([]int64, len(shares))
	of := func(k int, n int64) int64 {
		left := 1.0
		for _, s := range shares[:k] {
			left -= s
		}
		x := new(big.Rat).Mul(big.NewRat(ppmOf(shares[k], left), millionths), big.NewRat(n, 1))
		return new(big.Int).Quo(x.Num(), x.Denom()).Int64()
	}
	for t, n := range tr {
		for range n {
			k := 0
			for ; k < len(shares)-1; k++ {
				seen[k]++
				if of(k, seen[k]) > of(k, seen[k]-1) {
					break
				}
			}
			parts[k][t]++
		}
	}
	return parts
}

func anyShares(t *rapid.T) []float64 {
	weights := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 5).Draw(t, "weights")
	sum := 0
	for _, w := range weights {
		sum += w
	}
	shares := make([]float64, len(weights))
	for i, w := range weights {
		shares[i] = float64(w) / float64(sum)
	}
	return shares
}

func TestSplitEqualsTheSlowOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, shares := anyTrace(t, 120), anyShares(t)
		parts := tr.Split(shares)
		for k, want := range dealSlowly(tr, shares) {
			if !slices.Equal(parts[k], want) {
				t.Fatalf("kind %d of %v:\n%v\n%v", k, shares, parts[k], want)
			}
			got, exact := float64(parts[k].Requests()), shares[k]*float64(tr.Requests())
			if math.Abs(got-exact) > float64(len(shares))+1 {
				t.Fatalf("kind %d gets %g of %g requests", k, got, exact)
			}
		}
	})
}

// zoo is a set of models with runs on one VM type, of rising cost and accuracy.
func zoo(models int) *profile.Set {
	set := &profile.Set{}
	for m := range models {
		name := fmt.Sprintf("model%d", m)
		set.Models = append(set.Models, profile.Model{Name: name})
		for _, batch := range []int{1, 4} {
			seconds := 0.05 * float64(m+1) * (1 + 0.5*float64(batch))
			set.Runs = append(set.Runs, profile.Run{ID: int64(len(set.Runs) + 1), Model: name, Mode: profile.Infer,
				Status: profile.Done, InstanceType: "desk", Count: 1, BatchSize: batch, USDPerHour: new(0.1 * float64(m+1)),
				Steady:   estimate.Around(seconds, 0.01*seconds, estimate.Measured),
				Accuracy: &profile.Accuracy{Metric: "top-1", Value: 0.6 + 0.1*float64(m), HigherIsBetter: true}})
		}
	}
	return set
}

func anyKind(t *rapid.T, set *profile.Set) (w Kind) {
	w.Name, w.MemoryGiB = "requests", 1.5 // at which times are whole milliseconds, as the slow simulator has them
	w.LimitS = ms(t, 400, 2500, "limit")
	for _, m := range set.Models {
		if len(w.Models) == 0 || rapid.Bool().Draw(t, m.Name) {
			w.Models = append(w.Models, m.Name)
		}
	}
	w.Best = rapid.SampledFrom([]Objective{Cost, Accuracy, Latency}).Draw(t, "best")
	if rapid.Bool().Draw(t, "a floor") {
		w.MinAccuracy = new(rapid.SampledFrom([]float64{0.5, 0.6}).Draw(t, "accuracy"))
	}
	if rapid.Bool().Draw(t, "a function of its own") {
		w.Function = &Memory{FixedS: ms(t, 0, 100, "fixed"), ScalingS: ms(t, 50, 900, "scaling"), KneeGiB: 1.5,
			MinGiB: 0.5, MaxGiB: 3}
	}
	return w
}

// A mix is what the slow simulator makes of each group, whose requests were dealt out one by
// one, added up.
func TestMixEqualsTheSlowOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := zoo(3)
		m := Mix{Trace: anyTrace(t, 60), Settings: anySettings(t), MaxViolations: 0.01}
		shares := anyShares(t)
		for _, s := range shares {
			w := anyKind(t, set)
			w.Share = s
			m.Kinds = append(m.Kinds, w)
		}
		a, err := m.Answer(set)
		if err != nil {
			t.Fatal(err)
		}
		parts := dealSlowly(m.Trace, shares)
		for k, scheme := range Schemes() {
			total := Outcome{Scheme: scheme}
			for _, g := range a.Groups {
				tr := make(Trace, len(m.Trace))
				for _, kind := range g.Kinds {
					for s, n := range parts[kind] {
						tr[s] += n
					}
				}
				want := simulateSlowly(tr, g.Settings, scheme)
				got := g.Outcomes[k]
				got.OverProvisioning = nil
				if !same(got, want) {
					t.Fatalf("fast and slow differ:\n%+v\n%+v", got, want)
				}
				total.join(want)
			}
			got := a.Outcomes[k]
			if got.Requests != total.Requests || got.Violations != total.Violations || got.VMSeconds != total.VMSeconds ||
				math.Abs(got.USD-total.USD) > 1e-9*(1+total.USD) || got.Requests.Total() != int64(m.Trace.Requests()) ||
				got.OnVMs.Total()+got.OnFunctions.Total()+got.Queued.Total() != got.Requests.Total() {
				t.Fatalf("the sum is %+v, not %+v", got, total)
			}
		}
		for i, w := range m.Kinds {
			g := a.Groups[a.Of[i]]
			of := g.Offer()
			if !slices.Contains(w.Models, of.Model) || g.Settings.VM.LatencyS > w.LimitS ||
				w.MinAccuracy != nil && of.Accuracy < *w.MinAccuracy || g.Settings.StrictLimitS != w.LimitS {
				t.Fatalf("kind %+v gets %+v within %g s", w, of, g.Settings.VM.LatencyS)
			}
		}
	})
}

// Kinds that the same VMs serve alike share them, which costs no more than VMs of their own;
// one that asks for another model does not.
func TestKindsShareVMs(t *testing.T) {
	set := zoo(3)
	kind := func(share float64, floor float64) Kind {
		return Kind{Name: "q", Share: share, LimitS: 1, Wanted: Wanted{Models: []string{"model0", "model1", "model2"},
			Best: Cost, MinAccuracy: &floor}}
	}
	m := Mix{Trace: CrowdLoad.Generate(1200, 30, 1), Settings: Defaults(), MaxViolations: 0.01,
		Kinds: []Kind{kind(0.25, 0.5), kind(0.25, 0.6), kind(0.5, 0.8)}}
	a, err := m.Answer(set)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Groups) != 2 || a.Of[0] != a.Of[1] || a.Of[2] == a.Of[0] || a.Groups[a.Of[2]].Offer().Model != "model2" {
		t.Fatalf("groups %v of %d", a.Of, len(a.Groups))
	}
	if a.Naive == nil || !(a.Outcomes[a.Pick].USD < *a.Naive) {
		t.Errorf("the most accurate models for all cost %v, the cheapest %g", a.Naive, a.Outcomes[a.Pick].USD)
	}
	own := m
	own.Parts = m.Trace.Split([]float64{0.25, 0.25, 0.5})
	b, err := own.Answer(set)
	if err != nil || b.Outcomes[b.Pick].USD != a.Outcomes[a.Pick].USD {
		t.Errorf("the same parts given: %v, %v", b, err)
	}
}

func TestMixesThatMakeNoSense(t *testing.T) {
	set := zoo(2)
	one := Kind{Name: "a", Share: 1, LimitS: 1, Wanted: Wanted{Models: []string{"model0"}, Best: Cost}}
	half := one
	half.Share = 0.5
	impossible := one
	impossible.MinAccuracy = new(0.99)
	for words, m := range map[string]Mix{
		"not 0":                   {Trace: Trace{1}},
		"add up to 0.5":           {Trace: Trace{1}, Kinds: []Kind{half}},
		"the arrival trace is":    {Kinds: []Kind{one}},
		`kind "a": accuracy`:      {Trace: Trace{1}, Kinds: []Kind{impossible}},
		"2 traces for 1":          {Parts: []Trace{{1}, {1}}, Kinds: []Kind{one}},
		"traces of 1 and 2":       {Parts: []Trace{{1}, {1, 2}}, Kinds: []Kind{half, half}},
		"share of \"a\" is NaN":   {Trace: Trace{1}, Kinds: []Kind{{Name: "a", Share: math.NaN()}}},
		"second 0 of the arrival": {Parts: []Trace{{-1}}, Kinds: []Kind{one}},
	} {
		m.Settings = Defaults()
		if _, err := m.Answer(set); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
}

// Shares add up to 1 whatever one of them is set to; the others keep their proportions.
func TestReshare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := anyShares(t)
		k, to := rapid.IntRange(0, len(shares)-1).Draw(t, "kind"), rapid.Float64Range(0, 1).Draw(t, "to")
		got, sum := Reshare(shares, k, to), 0.0
		for i, s := range got {
			sum += s
			if !(s > 0) {
				t.Fatalf("%v has no share", got)
			}
			for j := range got {
				if i != k && j != k && math.Abs(got[i]*shares[j]-got[j]*shares[i]) > 1e-9 {
					t.Fatalf("%v of %v", got, shares)
				}
			}
		}
		least, most := LeastShare, 1-LeastShare*float64(len(shares)-1)
		if math.Abs(sum-1) > 1e-9 || len(shares) > 1 && math.Abs(got[k]-min(max(to, least), most)) > 1e-12 {
			t.Fatalf("%v of %v adds up to %g", got, shares, sum)
		}
	})
	if got := Reshare([]float64{1, 0, 0}, 0, 0.4); math.Abs(got[1]-0.3) > 1e-12 || math.Abs(got[2]-0.3) > 1e-12 {
		t.Errorf("others without a share get %v", got)
	}
}

// Intervals contain the value and what the same choices cost at either end of their times; times
// without an interval have that of a number alone.
func TestMixIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := zoo(2)
		width := rapid.SampledFrom([]float64{0, 0.05, 0.5}).Draw(t, "width")
		for i := range set.Runs {
			v := set.Runs[i].Steady.Value
			set.Runs[i].Steady = estimate.Around(v, width*v, estimate.Published)
		}
		m := Mix{Trace: anyTrace(t, 60), Settings: anySettings(t), MaxViolations: 0.01}
		for k, s := range anyShares(t) {
			w := anyKind(t, set)
			w.Name, w.Share, w.LimitS = fmt.Sprint(k), s, 2.5
			m.Kinds = append(m.Kinds, w)
		}
		plain, err := m.Answer(set)
		if err != nil {
			return // no model is within the limits
		}
		a, err := plain.Intervals()
		if err != nil {
			t.Fatal(err)
		}
		if plain.USD.High != plain.USD.Low || a.USD.Value != plain.Outcomes[plain.Pick].USD ||
			a.USD.Basis != estimate.Published || a.Within.Value != 1-plain.Outcomes[plain.Pick].ViolationShare() {
			t.Fatalf("%+v of %+v", a.MixCost, plain.MixCost)
		}
		ends := []float64{1 - width, 1 + width}
		if width == 0 {
			ends = []float64{1 / (1 + training.OneTotalRel), 1 + training.OneTotalRel}
		}
		low, high := a.USD.Value, a.USD.Value
		for _, f := range ends {
			usd := 0.0
			for _, g := range plain.Groups {
				s := g.Settings
				s.VM.RequestsPerSecond, s.VM.LatencyS = s.VM.RequestsPerSecond/f, s.VM.LatencyS*f
				o, err := Simulate(g.Trace, s, Schemes()[plain.Pick])
				if err != nil {
					t.Fatal(err)
				}
				usd += o.USD
			}
			low, high = min(low, usd), max(high, usd)
		}
		if math.Abs(low-a.USD.Low) > 1e-6*low+1e-12 || math.Abs(high-a.USD.High) > 1e-6*high+1e-12 {
			t.Fatalf("at the ends of the times it costs %g to %g, not %+v", low, high, a.USD)
		}
	})
}
