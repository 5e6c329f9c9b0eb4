package serving

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func inference(variant, precision, vm string, batch int, seconds, stddev, accuracy float64) profile.Run {
	r := profile.Run{
		Model: "net", Mode: profile.Infer, Variant: profile.Variant{Name: variant, Precision: precision}, Cloud: "aws", Region: "us-east-1", InstanceType: vm,
		BatchSize: batch, Steady: estimate.Exact(seconds, estimate.Measured), Accuracy: &profile.Accuracy{Metric: "top-1", Value: accuracy, HigherIsBetter: true},
	}
	if stddev > 0 {
		r.SteadyStdDevS = &stddev
	}
	return r
}

func TestOffers(t *testing.T) {
	set := &profile.Set{
		VMTypes: []profile.VMType{{Cloud: "aws", Region: "us-east-1", InstanceType: "g.large", GPUCount: 2, Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 3.6, Source: "a list", AsOf: "2026-01"}}}},
		Runs: []profile.Run{
			inference("", "fp32", "g.large", 8, 0.1, 0.01, 0.9),
			inference("", "fp32", "g.large", 32, 0.4, 0.05, 0.9),
			inference("", "int8", "g.large", 8, 0.05, 0, 0.88),
			inference("", "fp32", "desk", 8, 0.2, 0, 0.9),
			{Model: "net", Mode: profile.Train, InstanceType: "g.large", BatchSize: 8, Steady: estimate.Exact(1, estimate.Measured)},
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
	if len(offers) != 3 || offers[2].USDPerHour != 0.36 || offers[2].PriceFrom != "as given" || offers[0].Spread == offers[1].Spread {
		t.Fatalf("%+v", offers)
	}
	vm, c, ok := offers[0].Within(0.2)
	if !ok || !c.Interpolated || c.Batch <= 8 || c.Batch >= 32 || vm.LatencyS > 0.2 || math.Abs(vm.QueriesPerSecond-2*c.QueriesPerSecond) > 1e-9 {
		t.Errorf("within 0.2 s: %+v, %+v", vm, c)
	}
	pool, of := Choose(offers, 0.15)
	if len(pool.List) != 2 || of[1] != 1 {
		t.Fatalf("within 0.15 s: %+v of %v", pool.List, of)
	}
	// Two GPUs of 160 queries a second each at a tenth of a cent a second.
	if got := pool.List[1].USDPerMillion; math.Abs(got-1e6*0.001/320) > 1e-9 {
		t.Errorf("a million int8 queries cost $%g", got)
	}
	limit := 0.15
	floor := 0.89
	if best, ok, err := pool.Best(Limits{LatencyS: &limit, Accuracy: &floor}); err != nil || !ok || of[best] != 0 {
		t.Errorf("the cheapest of 0.89 within 0.15 s: %d, %v, %v", best, ok, err)
	}
}
