package candidate_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// twoGPUs is a variant timed on two VM types, rates in units per second.
func twoGPUs(rateA, rateB, relA, relB float64) *profile.Set {
	run := func(id int64, vm, gpu string, rate, rel float64) profile.Run {
		return profile.Run{
			ID: id, Model: "net", Mode: profile.Infer, Cloud: "aws", Region: "r", InstanceType: vm, GPU: gpu, GPUCount: 1,
			Count: 1, BatchSize: 10,
			Status: profile.Done, Basis: estimate.Measured, Steady: estimate.Spread(10/rate, rel, estimate.Measured),
			Accuracy: &profile.Accuracy{Metric: "top-1", Value: 0.8, HigherIsBetter: true, Basis: estimate.Measured},
		}
	}
	price := func(usd float64) []profile.Price {
		return []profile.Price{{Purchase: profile.OnDemand, USDPerHour: usd}}
	}
	return &profile.Set{
		Runs: []profile.Run{run(1, "a", "T4", rateA, relA), run(2, "b", "A10G", rateB, relB)},
		VMTypes: []profile.VMType{
			{Cloud: "aws", Region: "r", InstanceType: "a", GPU: "T4", GPUCount: 1, Prices: price(1)},
			{Cloud: "aws", Region: "r", InstanceType: "b", GPU: "A10G", GPUCount: 1, Prices: price(3)},
		},
	}
}

func infers(units float64) question.Workload {
	return question.Workload{Model: "net", Mode: profile.Infer, Units: units, MaxCount: 3, Purchase: profile.OnDemand}
}

// VMs of one type are one candidate, whether combined or ranked alone.
func TestOneTypeIsTheSameCombinedAndAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.5, 500)
		set := twoGPUs(rate.Draw(t, "rate a"), rate.Draw(t, "rate b"), 0.1, 0.2)
		w := infers(float64(rapid.IntRange(1, 100000).Draw(t, "units")))
		c, err := candidate.Combine(set, w, nil, candidate.Rental{})
		if err != nil {
			t.Fatal(err)
		}
		for _, alone := range build(set, w) {
			counts := make([]int, 2)
			counts[map[string]int{"a": 0, "b": 1}[alone.Configuration[0].VM.InstanceType]] = alone.Configuration[0].Count
			at, ok := c.Space.Evaluate(0, counts)
			if !ok {
				t.Fatalf("%v is no combination", counts)
			}
			one := c.Candidate(at, true)
			for name, pair := range map[string][2]float64{
				"time": {one.Time.Value, alone.Time.Value}, "low": {one.Time.Low, alone.Time.Low},
				"high": {one.Time.High, alone.Time.High},
				"cost": {one.Cost.Value, alone.Cost.Value}, "cost high": {one.Cost.High, alone.Cost.High},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-9*pair[1] {
					t.Fatalf("%s: %s %g combined, %g alone", alone.ID, name, pair[0], pair[1])
				}
			}
			if one.ID != alone.ID || one.Other.Seconds > one.Time.Value*(1+1e-9) || one.Divided {
				t.Fatalf("%s combined is %s: %+v", alone.ID, one.ID, one.Other)
			}
		}
	})
}

// What rests on two runs is surer than either; where both rest on one printed
// number they err together.
func TestIntervalsOfCombinations(t *testing.T) {
	const rel = 0.2
	c, err := candidate.Combine(twoGPUs(100, 100, rel, rel), infers(1e6), nil, candidate.Rental{})
	if err != nil {
		t.Fatal(err)
	}
	at, _ := c.Space.Evaluate(0, []int{1, 1})
	both := c.Candidate(at, false)
	if want := math.Log1p(rel) / estimate.Z90 / math.Sqrt2; math.Abs(both.Time.LogSigma()-want) > 1e-9 {
		t.Errorf("two equal shares of independent runs: sigma %g, want %g", both.Time.LogSigma(), want)
	}
	if !both.Divided || both.Time.Value != 1e6/200 || math.Abs(both.Cost.Value-both.Time.Value*4/3600) > 1e-9 {
		t.Errorf("%+v", both)
	}
	if p := both.Configuration; len(p) != 2 || p[0].Units+p[1].Units != 1e6 || p[0].BatchSize != 10 ||
		p[1].BusyS > both.Other.Seconds {
		t.Errorf("parts %+v", p)
	}
	printed := twoGPUs(100, 100, rel, rel)
	for i := range printed.Runs {
		printed.Runs[i].Basis, printed.Runs[i].GPU = estimate.Published, "T4"
	}
	if c, err = candidate.Combine(printed, infers(1e6), nil, candidate.Rental{}); err != nil {
		t.Fatal(err)
	}
	if both = c.Candidate(at, false); math.Abs(both.Time.LogSigma()-math.Log1p(rel)/estimate.Z90) > 1e-9 {
		t.Errorf("two shares of one number: sigma %g", both.Time.LogSigma())
	}
	gpus, err := candidate.Combine(twoGPUs(100, 50, rel, 0.5), infers(1e6), nil, candidate.Rental{Split: cluster.ByGPUs})
	if err != nil {
		t.Fatal(err)
	}
	at, _ = gpus.Space.Evaluate(0, []int{1, 1})
	if slow := gpus.Candidate(at, false); math.Abs(slow.Time.LogSigma()-math.Log1p(0.5)/estimate.Z90) > 1e-9 ||
		slow.Time.Value != 1e4 {
		t.Errorf("split by GPUs the slower type decides: %+v", slow.Time)
	}
}

// On Explore's space the combinations stand beside the counts of one type, and
// the probability of being best is shared among all.
func TestCombinationsAreCandidates(t *testing.T) {
	set := twoGPUs(100, 240, 0.1, 0.1)
	w := infers(1e6)
	plain := rank.NewSpace(candidate.NewList(set, w, nil, nil))
	w.Combine = true
	s := rank.NewSpace(candidate.NewList(set, w, nil, nil))
	if s.Len() <= plain.Len() || s.Combinations.Configurations != 15 {
		t.Fatalf("%d candidates, %d without combinations of %g", s.Len(), plain.Len(), s.Combinations.Configurations)
	}
	several := 0
	for i := range s.Len() {
		c := s.At(i)
		if len(c.Configuration) > 1 {
			several++
			if k, ok := s.Find(c); !ok || k != i || c.USDPerHour() == nil || c.Cell != candidate.SeveralCells {
				t.Errorf("%s at %d is found at %d", c.ID, i, k)
			}
		}
	}
	if several != s.Len()-plain.Len() {
		t.Errorf("%d combinations of several types among %d more", several, s.Len()-plain.Len())
	}
	r := rank.Evaluate(s, question.Query{Workload: w, Sort: question.ByTime})
	fastest := s.At(r.First())
	if len(fastest.Configuration) != 2 || fastest.Configuration[0].Count != 3 || fastest.Configuration[1].Count != 3 {
		t.Errorf("the fastest is %s", fastest.ID)
	}
	var sum float64
	for _, p := range r.BestProbability(objective.Time) {
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the probabilities add up to %g", sum)
	}
	cheaper, faster := advice.Neighbours(r, r.First())
	if faster != -1 || cheaper < 0 || s.Values(objective.Cost)[cheaper] >= s.Values(objective.Cost)[r.First()] {
		t.Errorf("beside the fastest: cheaper %d, faster %d", cheaper, faster)
	}
}

func TestWhatCannotBeCombined(t *testing.T) {
	set := twoGPUs(100, 100, 0.1, 0.1)
	set.VMTypes[0].Prices = nil
	c, err := candidate.Combine(set, infers(1), nil, candidate.Rental{Limits: []candidate.Limit{{"b", 2}, {"c", 1}, {"a", 1}}})
	if err != nil || len(c.Missing) != 1 || c.Missing[0] != "c" || len(c.Unpriced) != 1 || c.Unpriced[0] != "a" ||
		len(c.VMs()) != 1 || c.VMs()["b"] != 2 {
		t.Errorf("%v: missing %v, unpriced %v, combined %v", err, c.Missing, c.Unpriced, c.VMs())
	}
	for i := range set.Runs {
		set.Runs[i].Cloud = ""
	}
	if _, err := candidate.Combine(set, infers(1), nil, candidate.Rental{}); err == nil {
		t.Error("machines of one's own were combined")
	}
}

// Half the price at the same speed dominates more; where some VM types have no
// such price it says so.
func TestPurchases(t *testing.T) {
	set := twoGPUs(100, 240, 0.1, 0.1)
	for i := range set.VMTypes {
		p := set.VMTypes[i].Prices[0]
		set.VMTypes[i].Prices = append(set.VMTypes[i].Prices, profile.Price{Purchase: profile.Spot,
			USDPerHour: p.USDPerHour / 2})
	}
	set.VMTypes[0].Prices = append(set.VMTypes[0].Prices, profile.Price{Purchase: profile.Reserved1Y, USDPerHour: 0.7})
	w := infers(1e6)
	w.Bill.Interruptions = new(0.0)
	got := advice.Purchases(set, w, nil, candidate.Rental{}, question.Limits{})
	if len(got) != 3 || got[0].Purchase != profile.OnDemand || got[1].Purchase != profile.Spot || got[2].Unpriced != 1 {
		t.Fatalf("%+v", got)
	}
	demand, spot := got[0], got[1]
	if math.Abs(spot.USD-demand.USD/2) > 1e-9 || spot.Seconds != demand.Seconds ||
		!(spot.Hypervolume > demand.Hypervolume) || spot.Hypervolume >= 1 {
		t.Errorf("on demand %+v, spot %+v", demand, spot)
	}
	if none := advice.Purchases(set, infers(1e6), nil, candidate.Rental{},
		question.Limits{objective.Cost: 1e-6}); len(none) != 0 {
		t.Errorf("nothing is within the limits, yet %+v", none)
	}
}

// One configuration stands for all that take and cost the same, also where a
// variant of unknown accuracy is as fast as one whose accuracy is known.
func TestCombinationsThatTieAreListedOnce(t *testing.T) {
	for _, split := range []cluster.Split{cluster.ByThroughput, cluster.ByGPUs} {
		for _, unknown := range []string{"a twin", "twin"} { // before and after the other in the order of names
			set := twoGPUs(100, 240, 0.1, 0.1)
			for _, r := range set.Runs {
				r.ID, r.Accuracy, r.Variant = r.ID+2, nil, profile.Variant{Name: unknown}
				set.Runs = append(set.Runs, r)
			}
			for i := range set.Runs[:2] {
				set.Runs[i].Variant.Name = "known"
			}
			c, err := candidate.Combine(set, infers(1e6), nil, candidate.Rental{Split: split})
			if err != nil {
				t.Fatal(err)
			}
			s := rank.NewSpace(c.List())
			r := rank.Evaluate(s, question.Query{Workload: infers(1e6), Sort: question.ByTime})
			if len(r.Frontier(objective.Time, objective.Cost)) < 2 {
				t.Fatalf("%d on the frontier", len(r.Frontier(objective.Time, objective.Cost)))
			}
			for k, i := range r.Frontier(objective.Time, objective.Cost) {
				if s.At(i).Quality == nil {
					t.Errorf("by %s: %s stands for one of known accuracy", split, s.At(i).ID)
				}
				if k > 0 &&
					s.Values(objective.Time)[i] == s.Values(objective.Time)[r.Frontier(objective.Time, objective.Cost)[k-1]] {
					t.Errorf("by %s: %s is listed beside %s", split, s.At(i).ID,
						s.At(r.Frontier(objective.Time, objective.Cost)[k-1]).ID)
				}
			}
		}
	}
}
