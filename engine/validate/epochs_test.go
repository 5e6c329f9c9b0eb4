package validate

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// trainings is a workload trained with six batch sizes, two seeds each, on one
// machine whose epochs take 1 + 640/B minutes.
func trainings(epochs func(batch int, target float64) int) *profile.Set {
	set := &profile.Set{}
	for _, b := range []int{16, 32, 64, 128, 256, 512} {
		for seed := range 2 {
			r := profile.Run{Model: "net", Mode: profile.Train, BatchSize: b, Status: profile.Done, Basis: estimate.Published}
			for _, target := range []float64{0.4, 0.5, 0.6} {
				r.Validations = append(r.Validations, profile.Validation{Epoch: epochs(b, target) + seed - 1, Metric: "top1",
					Value: &target, HigherIsBetter: true})
			}
			r.Epochs = new(float64(r.Validations[2].Epoch + 1))
			set.Runs = append(set.Runs, r)
		}
		seconds := 60 * (1 + 640/float64(b))
		set.Runs = append(set.Runs, profile.Run{
			Model: "net", Mode: profile.Train, BatchSize: b, Status: profile.Done, Basis: estimate.Published,
			InstanceType: "box", GPU: "V100", GPUCount: 1, USDPerHour: new(3.0), Epochs: new(1.0), TotalS: &seconds,
		})
	}
	return set
}

func linear(b int, target float64) int { return int(200 * target * (1 + float64(b)/256)) }

func TestEpochsToTarget(t *testing.T) {
	cases := epochsToTarget.Cases(trainings(linear))
	s := Summarise(cases)
	if s.N != 9 || s.Unanswered != 0 || s.P90 > 0.03 || s.Coverage != 1 || s.PlainMedian > 0.03 {
		t.Errorf("%+v", s)
	}
	// What is asked for must not be looked at.
	spoilt := epochsToTarget.Cases(trainings(func(b int, target float64) int {
		if b == 32 || b == 64 || b == 256 {
			return 7 * linear(b, target)
		}
		return linear(b, target)
	}))
	for i, c := range spoilt {
		if c.Predicted != cases[i].Predicted || c.Plain != cases[i].Plain || c.Truth < 6*cases[i].Truth {
			t.Errorf("%s: %+v with the truth spoilt, %+v before", c.Of, c, cases[i])
		}
	}
}

func TestRegret(t *testing.T) {
	set := trainings(linear)
	middle := 0
	for _, c := range regretOfBatch.Cases(set) {
		best := math.Inf(1)
		for _, b := range []int{16, 32, 64, 128, 256, 512} {
			// The mean of two seeds that lie an epoch apart.
			best = math.Min(best, (float64(linear(b, 0.5))+0.5)*60*(1+640/float64(b))*3)
		}
		if strings.HasPrefix(c.Of, "net to 0.5 on 1 × box with 1 × V100: batch ") {
			middle++
			if math.Abs(c.Truth/best-1) > 1e-9 {
				t.Errorf("the best costs %g, not %g", c.Truth, best)
			}
		}
		if c.Error() > 0.02 || c.Predicted.Value < c.Truth {
			t.Errorf("%s: costs %g against %g", c.Of, c.Predicted.Value, c.Truth)
		}
	}
	if n := len(regretOfBatch.Cases(set)); n != 3 || middle != 1 {
		t.Errorf("%d cases, %d of them to 0.5", n, middle)
	}
	for i := range set.Runs {
		set.Runs[i].GPU = ""
	}
	if n := len(regretOfBatch.Cases(set)); n != 0 {
		t.Errorf("%d cases without a machine", n)
	}
}

// What is left out must not matter to the recommendation, but to what it costs.
func TestRegretWithFewerSeeds(t *testing.T) {
	if n := len(regretOfFewerSeeds.Cases(trainings(linear))); n != 9 {
		t.Errorf("%d cases, not three for each of three targets", n)
	}
	set, spoilt := trainings(linear), trainings(linear)
	at := map[int]int{}
	for i, r := range spoilt.Runs {
		if len(r.Validations) == 0 {
			continue
		}
		if at[r.BatchSize]%3 == 0 { // of two the first
			for j := range r.Validations {
				spoilt.Runs[i].Validations[j].Epoch *= 3
			}
			spoilt.Runs[i].Epochs = new(3 * *r.Epochs)
		}
		at[r.BatchSize]++
	}
	whole := courses(set)[0].without(0, 3)
	part := courses(spoilt)[0].without(0, 3)
	for _, b := range whole.all.Batches {
		if x, y := whole.all.Reached(b, 0.5), part.all.Reached(b, 0.5); x != y || x.Runs != 1 {
			t.Errorf("batch %g: %+v, with what is left out spoilt %+v", b, x, y)
		}
	}
}

// Trainings without a value leave nothing to recommend from, and nothing panics.
func TestRegretWithoutValues(t *testing.T) {
	run := profile.Run{Model: "net", Mode: profile.Train, BatchSize: 8, Basis: estimate.Measured, Status: profile.Done,
		Validations: []profile.Validation{{Metric: "accuracy", Value: new(0.5), HigherIsBetter: true}}}
	empty := run
	empty.Validations = []profile.Validation{{Metric: "accuracy", HigherIsBetter: true}}
	if got := regretOfFewerSeeds.Cases(&profile.Set{Runs: []profile.Run{run, empty}}); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
