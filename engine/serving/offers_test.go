package serving

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func inference(variant, precision, vm string, batch int, seconds, stddev, accuracy float64) profile.Run {
	r := profile.Run{
		Model: "net", Mode: profile.Infer, Variant: profile.Variant{Name: variant, Precision: precision}, Cloud: "aws",
		Region: "us-east-1", InstanceType: vm,
		BatchSize: batch, Steady: estimate.Exact(seconds, estimate.Measured), Accuracy: &profile.Accuracy{Metric: "top-1",
			Value: accuracy, HigherIsBetter: true},
	}
	if stddev > 0 {
		r.SteadyStdDevS = &stddev
	}
	return r
}

func TestOffers(t *testing.T) {
	set := &profile.Set{
		VMTypes: []profile.VMType{{Cloud: "aws", Region: "us-east-1", InstanceType: "g.large", GPUCount: 2,
			Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 3.6, Source: "a list", AsOf: "2026-01"}}}},
		Runs: []profile.Run{
			inference("", "fp32", "g.large", 8, 0.1, 0.01, 0.9),
			inference("", "fp32", "g.large", 32, 0.4, 0.05, 0.9),
			inference("", "int8", "g.large", 8, 0.05, 0, 0.88),
			inference("", "fp32", "desk", 8, 0.2, 0, 0.9),
			{Model: "net", Mode: profile.Train, InstanceType: "g.large", BatchSize: 8,
				Steady: estimate.Exact(1, estimate.Measured)},
		},
	}
	set.Runs[0].GPUCount, set.Runs[1].GPUCount, set.Runs[2].GPUCount = 2, 2, 2
	if got := len(Offers(set, []string{"other"}, 0)); got != 0 {
		t.Errorf("%d offers of a model that is not there", got)
	}
	if got := len(Offers(set, nil, 0)); got != 2 {
		t.Errorf("%d offers with a price, want 2", got)
	}
	offers := Offers(set, []string{"net"}, 0.36)
	if len(offers) != 3 || offers[2].USDPerHour != 0.36 || offers[2].PriceFrom != "as given" ||
		offers[0].Spread == offers[1].Spread {
		t.Fatalf("%+v", offers)
	}
	pool, served := Choose(offers, 0.15, 0)
	if len(pool.List) != 2 || served[1].Offer != 1 || served[1].Batch != 8 {
		t.Fatalf("within 0.15 s: %+v, %+v", pool.List, served)
	}
	// Two GPUs of 160 requests a second each at a tenth of a cent a second.
	if got := pool.List[1].USDPerMillion; math.Abs(got-1e6*0.001/320) > 1e-9 {
		t.Errorf("a million int8 requests cost $%g", got)
	}
	limit, floor := 0.15, 0.89
	if kept := pool.Within(Limits{LatencyS: &limit, Accuracy: &floor}, Cost); len(kept) == 0 ||
		served[kept[0]].Offer != 0 {
		t.Errorf("the cheapest of 0.89 within 0.15 s: %v", kept)
	}
	// At a rate that one small VM serves, a large one is dearer though cheaper when busy.
	large := Offer{Model: "net", VM: profile.VMKey{InstanceType: "large"}, GPUs: 8, USDPerHour: 2.8,
		Points: offers[2].Points}
	pool, _ = Choose([]Offer{offers[2], large}, 1, 5)
	if small, big := pool.List[0].USDPerMillion, pool.List[1].USDPerMillion; !(small < big) {
		t.Errorf("5 requests a second cost $%g on the small VM and $%g on the large one", small, big)
	}
	if pool, _ = Choose([]Offer{offers[2], large}, 1, 0); !(pool.List[1].USDPerMillion < pool.List[0].USDPerMillion) {
		t.Errorf("busy, the large VM must be the cheaper: %+v", pool.List)
	}
	if loss := (Offer{Metric: "loss"}); !alike(offers) || alike(append(offers, loss)) {
		t.Error("accuracies of two metrics were taken to be alike")
	}
}

// A looser limit never lowers what a VM holds.
func TestCapacityGrowsWithTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []BatchPoint
		batch := 0.0
		for range rapid.IntRange(1, 6).Draw(t, "points") {
			batch += float64(rapid.IntRange(1, 64).Draw(t, "more"))
			p50 := rapid.Float64Range(0.001, 2).Draw(t, "p50")
			points = append(points, BatchPoint{batch, p50, p50 * rapid.Float64Range(1, 2).Draw(t, "spread")})
		}
		last := 0.0
		for _, limit := range []float64{0.01, 0.05, 0.1, 0.3, 0.5, 1, 2, 4} {
			c, ok, err := CapacityWithin(points, limit)
			if err != nil {
				t.Fatal(err)
			}
			if ok && (c.RequestsPerSecond() < last || c.P99S > limit) {
				t.Fatalf("%+v at %g s after %g requests/s", c, limit, last)
			}
			if ok {
				last = c.RequestsPerSecond()
			}
		}
	})
}
