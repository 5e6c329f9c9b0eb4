package approx

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Prices of the study: p3.2xlarge, three years all upfront, US East (Ohio).
var studyPrices = Prices{Reserved: 0.985, OnDemand: 3.06}

// drawn are n candidates with runtimes and ratios at random.
func drawn(n int, seed uint64, low, high float64) []Candidate {
	random := rand.New(rand.NewPCG(seed, 1))
	out := make([]Candidate, n)
	for i := range out {
		full := 3600 * math.Exp(random.NormFloat64())
		out[i] = Candidate{FullS: full, ReducedS: full * (low + (high-low)*random.Float64()), Draw: random.Float64(),
			Accuracy: 0.9, ReducedAccuracy: 0.89}
	}
	return out
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// A workload whose every job has the average s_max of table III.
func TestClosedForm(t *testing.T) {
	const most = 2.868
	ratio := studyPrices.OnDemand / studyPrices.Reserved / (1 + most)
	c := []Candidate{{FullS: 3600, ReducedS: 3600 * ratio}, {FullS: 7200, ReducedS: 7200 * ratio}}
	near(t, "s_max", studyPrices.Most(&c[0]), most)
	near(t, "s*", Acceptance{}.Best(most), most/2)
	for p, k := range map[Policy]float64{OnDemand: 0, ApproxDNN: 0.5, AcceptanceCentric: 0.9, PenaltyCentric: 0.1} {
		o := Evaluate(p, c, studyPrices, Acceptance{})
		near(t, string(p), o.Expected.USD()/o.AllUSD, k*(1+k*most)/(1+most)+1-k)
	}
	for cut, want := range map[float64]float64{0.1: 3.298, 0.2: 3.836, 0.3: 4.526, 0.4: 5.448} {
		cheaper := Candidate{FullS: 3600, ReducedS: 3600 * ratio * (1 - cut)}
		if got := studyPrices.Most(&cheaper); math.Abs(got-want) > 2e-3 { // the table’s average has four digits
			t.Errorf("s_max with INT8 %.0f %% faster: %.4f, want %.3f", 100*cut, got, want)
		}
	}
}

func anyAcceptance(t *rapid.T) Acceptance {
	a := Acceptance{Shape: rapid.SampledFrom([]Shape{Linear, Power, Exponential, Logistic}).Draw(t, "shape")}
	a.At = rapid.Float64Range(0.05, 8).Draw(t, "at")
	a.Width = rapid.Float64Range(0.02, 3).Draw(t, "width")
	return a
}

// Every curve begins at 0, never falls and never passes 1; the best offer is as
// good as any on a fine grid, and where the derivative has a closed zero, that.
func TestAcceptance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, most := anyAcceptance(t), rapid.Float64Range(1e-3, 20).Draw(t, "most")
		best := a.Best(most)
		if !(best >= 0) || best > most {
			t.Fatalf("the best offer is %g of at most %g", best, most)
		}
		saved := func(s float64) float64 { return a.Probability(s, most) * (most - s) }
		last := 0.0
		for k := range 2001 {
			s := most * float64(k) / 2000
			p := a.Probability(s, most)
			if p < last-1e-12 || p > 1+1e-12 || k == 0 && p != 0 {
				t.Fatalf("P(%g) = %g after %g", s, p, last)
			}
			last = p
			if saved(s) > saved(best)+1e-9*most {
				t.Fatalf("offering %g saves %g, more than the best offer %g: %g", s, saved(s), best, saved(best))
			}
		}
		switch a.Shape {
		case Exponential: // (s_max − s)/At = exp(s/At) − 1
			if miss := (most-best)/a.At - math.Expm1(best/a.At); math.Abs(miss) > 1e-5*(1+most/a.At) {
				t.Fatalf("the derivative at the best offer %g of %v is off by %g", best, a, miss)
			}
		case Linear, Power: // by search as by formula
			if got := a.minimise(most); math.Abs(got-best) > 1e-5*most {
				t.Fatalf("searched %g, by formula %g", got, best)
			}
		}
		if again, err := ParseAcceptance(a.String()); err != nil || again.Best(most) != best {
			t.Fatalf("%v reads back as %v, %v", a, again, err)
		}
	})
}

// No offer costs more than on-demand VMs, whatever the user decides; so neither
// does the total, drawn or expected, and ApproxDNN's expectation is the least.
func TestNoPolicyCostsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyAcceptance(t)
		prices := Prices{Reserved: rapid.Float64Range(0.05, 5).Draw(t, "reserved"), OnDemand: rapid.Float64Range(0.05,
			5).Draw(t, "on demand")}
		c := drawn(rapid.IntRange(1, 60).Draw(t, "n"), rapid.Uint64().Draw(t, "seed"), 0.3, 1.3)
		least := math.Inf(1)
		var approx float64
		for _, p := range Policies {
			offers := Offers(p, c, prices, a)
			for i, s := range offers {
				usd, penalty := prices.Accepted(&c[i], s)
				if s > 0 && usd > prices.OnDemandUSD(&c[i])*(1+1e-9) {
					t.Fatalf("%s pays $%g for a job of $%g", p, usd, prices.OnDemandUSD(&c[i]))
				}
				if penalty < 0 || s > 0 && prices.Most(&c[i]) <= 0 {
					t.Fatalf("%s offers %g where s_max is %g", p, s, prices.Most(&c[i]))
				}
			}
			o := Evaluate(p, c, prices, a)
			if o.Expected.USD() > o.AllUSD*(1+1e-9) || o.Drawn.USD() > o.AllUSD*(1+1e-9) {
				t.Fatalf("%s costs %g or %g, all on demand %g", p, o.Drawn.USD(), o.Expected.USD(), o.AllUSD)
			}
			least = math.Min(least, o.Expected.USD())
			if p == ApproxDNN {
				approx = o.Expected.USD()
			}
		}
		if approx > least*(1+1e-7) {
			t.Fatalf("ApproxDNN expects %g, another policy %g", approx, least)
		}
	})
}

// What is drawn lies in the stated interval about nine times in ten, and its
// mean is the expectation.
func TestDrawsAgreeWithTheExpectation(t *testing.T) {
	c := drawn(400, 7, 0.75, 1)
	random := rand.New(rand.NewPCG(3, 3))
	for _, p := range Policies[1:] {
		const rounds = 2000
		inside, sum := 0, 0.0
		var o Outcome
		for range rounds {
			for i := range c {
				c[i].Draw = random.Float64()
			}
			o = Evaluate(p, c, studyPrices, Acceptance{})
			value, low, high := o.Relative()
			sum += value
			if low <= value && value <= high {
				inside++
			}
		}
		if share := float64(inside) / rounds; share < 0.87 || share > 0.93 {
			t.Errorf("%s: %.3f of the draws in the interval", p, share)
		}
		slack := 4 * o.DeviationUSD / o.AllUSD / math.Sqrt(rounds)
		if mean := sum / rounds; math.Abs(mean-o.Expected.USD()/o.AllUSD) > slack {
			t.Errorf("%s: mean of the draws %.5f, expected %.5f", p, mean, o.Expected.USD()/o.AllUSD)
		}
	}
}

// Many candidates take interpolated offers where few take searched ones.
func TestInterpolatedOffersCostTheSame(t *testing.T) {
	for _, a := range []Acceptance{{Shape: Exponential, At: 1.2}, {Shape: Logistic, At: 1, Width: 0.2}} {
		c := drawn(500, 9, 0.5, 1.1)
		var searched float64
		for i := range c {
			most := studyPrices.Most(&c[i])
			s := a.Best(most)
			searched += studyPrices.Expected(&c[i], s, a.Probability(s, most))
		}
		if got := Evaluate(ApproxDNN, c, studyPrices, a).Expected.USD(); math.Abs(got-searched) > 1e-4*searched {
			t.Errorf("%v: interpolated %g, searched %g", a, got, searched)
		}
	}
}

func TestParsing(t *testing.T) {
	for _, bad := range []string{"", "linear:1", "power", "power:0", "power:-1", "power:x", "power:NaN", "logistic:1",
		"exponential:1e9", "sine:1"} {
		if _, err := ParseAcceptance(bad); err == nil {
			t.Errorf("%q was read as an acceptance", bad)
		}
	}
	if p, err := ParsePolicies("approxdnn, on-demand,approxdnn"); err != nil || len(p) != 2 || p[0] != ApproxDNN {
		t.Errorf("policies: %v, %v", p, err)
	}
	if p, err := ParsePolicies("all"); err != nil || len(p) != len(Policies) {
		t.Errorf("all policies: %v, %v", p, err)
	}
	if _, err := ParsePolicies("cheapest"); err == nil {
		t.Error("an unknown policy was read")
	}
}

func TestUnknownAccuracyIsLeftOut(t *testing.T) {
	c := []Candidate{{FullS: 1, ReducedS: 1, Accuracy: math.NaN(), ReducedAccuracy: 0.5},
		{FullS: 1, ReducedS: 1, Accuracy: 0.8, ReducedAccuracy: 0.7}}
	if got := Evaluate(OnDemand, c, studyPrices, Acceptance{}).Drawn.Accuracy; got != 0.8 {
		t.Errorf("accuracy %g, want 0.8", got)
	}
	if got := Evaluate(OnDemand, c[:1], studyPrices, Acceptance{}).Drawn.Accuracy; !math.IsNaN(got) {
		t.Errorf("accuracy %g, want unknown", got)
	}
}
