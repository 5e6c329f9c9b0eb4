package candidate_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/advice"
	"sweetspot/engine/bill"
	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// bills draws what may be paid beside the work.
func bills() *rapid.Generator[bill.Bill] {
	return rapid.Custom(func(t *rapid.T) bill.Bill {
		b := bill.Bill{
			StartupS: rapid.Float64Range(0, 300).Draw(t, "startup"), DiskGiB: rapid.Float64Range(0, 500).Draw(t, "disk"),
			DiskUSDPerGiBMonth: 0.1,
			EgressGiB:          rapid.Float64Range(0, 10).Draw(t, "egress"), EgressUSDPerGiB: 0.09,
		}
		if rapid.Bool().Draw(t, "rate told") {
			b.Interruptions = new(rapid.Float64Range(0, 0.5).Draw(t, "rate"))
		}
		if rapid.Bool().Draw(t, "checkpoint told") {
			b.CheckpointS = new(rapid.Float64Range(1, 7200).Draw(t, "checkpoint"))
		}
		return b
	})
}

func withSpot(set *profile.Set) *profile.Set {
	for i := range set.VMTypes {
		vm := &set.VMTypes[i]
		if len(vm.Prices) > 0 {
			vm.Prices = append(vm.Prices, profile.Price{Purchase: profile.Spot, USDPerHour: vm.Prices[0].USDPerHour / 3})
		}
	}
	return set
}

// The bill changes nothing that is not given, and what is given is in time, cost
// and the parts alike, whether one VM type is ranked alone or combined.
func TestOneTypeIsChargedTheSameCombinedAndAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := withSpot(twoGPUs(rapid.Float64Range(0.5, 500).Draw(t, "a"), rapid.Float64Range(0.5, 500).Draw(t,
			"b"), 0.1, 0.2))
		w := infers(float64(rapid.IntRange(1000, 100000).Draw(t, "units")))
		w.Bill = bills().Draw(t, "bill")
		if rapid.Bool().Draw(t, "spot") {
			w.Purchase = profile.Spot
			if w.Bill.CheckpointS != nil {
				*w.Bill.CheckpointS = min(*w.Bill.CheckpointS, 60) // longer ones end with the job, which is another one alone
			}
		}
		c, err := candidate.Combine(set, w, nil, candidate.Rental{})
		if err != nil {
			t.Fatal(err)
		}
		// A mean over jobs of another length differs by the part of a checkpoint.
		tolerance := 1e-9
		if w.Purchase == profile.Spot {
			tolerance = 0.02
		}
		for _, alone := range build(set, w) {
			if sum := alone.Parts.Sum(); math.Abs(sum-alone.Cost.Value) > 1e-9*sum {
				t.Errorf("the parts of %s come to %g, not %g: %+v", alone.ID, sum, alone.Cost.Value, alone.Parts)
			}
			counts := make([]int, 2)
			counts[map[string]int{"a": 0, "b": 1}[alone.Configuration[0].VM.InstanceType]] = alone.Configuration[0].Count
			at, ok := c.Space.Evaluate(0, counts)
			if !ok {
				t.Fatalf("%v is no combination", counts)
			}
			one := c.Candidate(at, true)
			if math.Abs(one.Parts.Sum()-one.Cost.Value) > 1e-9*one.Cost.Value {
				t.Errorf("combined the parts come to %g, not %g: %+v", one.Parts.Sum(), one.Cost.Value, one.Parts)
			}
			if math.Abs(one.Time.Value/alone.Time.Value-1) > tolerance ||
				math.Abs(one.Cost.Value/alone.Cost.Value-1) > tolerance {
				t.Errorf("%s: combined %+v for %+v, alone %+v for %+v", alone.ID, one.Time, one.Cost, alone.Time, alone.Cost)
			}
		}
	})
}

// At the price of the flip the cheapest and the next cost the same, whatever else
// is on the bill.
func TestAFlipCountsTheBill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := twoGPUs(rapid.Float64Range(10, 100).Draw(t, "a"), rapid.Float64Range(10, 100).Draw(t, "b"), 0.1, 0.1)
		w := infers(1e5)
		w.MaxCount, w.Bill = 1, bills().Draw(t, "bill")
		r := rank.Evaluate(rank.NewSpace(candidate.NewList(set, w, nil, nil)),
			question.Query{Workload: w, Sort: question.ByCost.Strict()})
		cheapest := int(r.Space.Rising(objective.Cost)[0]) // the first of the ranking may be tied with it
		flip, ok := advice.PriceFlip(r, cheapest)
		if !ok {
			t.Fatal("no flip")
		}
		for i := range set.VMTypes {
			if set.VMTypes[i].InstanceType == r.Space.At(cheapest).Configuration[0].VM.InstanceType {
				set.VMTypes[i].Prices[0].USDPerHour = flip.USDPerHour
			}
		}
		s := rank.NewSpace(candidate.NewList(set, w, nil, nil))
		if math.Abs(s.Values(objective.Cost)[0]/s.Values(objective.Cost)[1]-1) > 1e-9 {
			t.Errorf("at %g an hour %g and %g", flip.USDPerHour, s.Values(objective.Cost)[0], s.Values(objective.Cost)[1])
		}
	})
}

// What all pay alike makes nobody the surer best.
func TestEgressLeavesTheProbabilities(t *testing.T) {
	set := twoGPUs(100, 310, 0.1, 0.1)
	w := infers(1e6)
	ask := func() map[int]float64 {
		return rank.Evaluate(rank.NewSpace(candidate.NewList(set, w, nil, nil)),
			question.Query{Workload: w, Sort: question.ByCost.Strict()}).BestProbability(objective.Cost)
	}
	before := ask()
	w.Bill.EgressGiB, w.Bill.EgressUSDPerGiB = 1, 0.3
	for i, p := range ask() {
		if math.Abs(p-before[i]) > 0.06 { // nearer together relative to the whole, so more of them tie
			t.Errorf("candidate %d: %g with egress, %g without", i, p, before[i])
		}
	}
}

// Quotes that scatter widen what is paid for the VM, not the egress.
func TestQuotesDoNotMoveEgress(t *testing.T) {
	set := twoGPUs(100, 310, 0.1, 0.1)
	for i := range set.VMTypes {
		price := set.VMTypes[i].Prices[0]
		price.USDPerHour *= 2
		set.VMTypes[i].Prices = append(set.VMTypes[i].Prices, price)
	}
	w := infers(1e6)
	before := build(set, w)
	w.Bill.EgressGiB, w.Bill.EgressUSDPerGiB = 1000, 0.1
	for i, c := range build(set, w) {
		was := before[i].Cost.Shifted(100)
		if math.Abs(c.Cost.Low-was.Low) > 1e-9 || math.Abs(c.Cost.High-was.High) > 1e-9 || !(was.Low < was.Value) {
			t.Errorf("%s costs %+v with an egress of $100, %+v without", c.ID, c.Cost, before[i].Cost)
		}
	}
}
