package rank

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// inferences draws sets with several runs of a cell, runs out of memory, VM types
// with and without a price, and machines that can't be rented.
func inferences() *rapid.Generator[*profile.Set] {
	return rapid.Custom(func(t *rapid.T) *profile.Set {
		set := &profile.Set{VMTypes: []profile.VMType{
			{Cloud: "aws", InstanceType: "a", GPU: "T4", GPUCount: 1, GPUMemGiB: new(16.0), Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 0.5}}},
			{Cloud: "aws", InstanceType: "b", GPU: "T4", GPUCount: 4, Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 2}, {Purchase: profile.OnDemand, USDPerHour: 3}}},
			{Cloud: "aws", InstanceType: "c", GPU: "A10G", GPUCount: 1},
		}}
		for i := range rapid.IntRange(1, 12).Draw(t, "runs") {
			seconds := rapid.Float64Range(0.01, 1).Draw(t, "seconds")
			r := profile.Run{
				ID: int64(i + 1), Model: "net", Mode: profile.Infer, Status: profile.Done, Basis: rapid.SampledFrom([]estimate.Basis{estimate.Measured, estimate.Published}).Draw(t, "basis"),
				Variant: profile.Variant{Name: rapid.SampledFrom([]string{"", "pruned"}).Draw(t, "variant")}, BatchSize: 32 << rapid.IntRange(0, 1).Draw(t, "batch"),
				InstanceType: rapid.SampledFrom([]string{"a", "b", "c", "desk"}).Draw(t, "vm"), GPUCount: 1, Count: 1,
				Steady: estimate.Spread(seconds, 0.1, estimate.Measured),
			}
			if r.InstanceType != "desk" {
				r.Cloud, r.GPU = "aws", "T4"
			}
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				r.Status, r.Steady = profile.OutOfMemory, estimate.Estimate{}
			case 1:
				r.PeakMemoryBytes = new(20.0 * gib)
			case 2:
				r.Accuracy = &profile.Accuracy{Metric: "top-1", Value: 0.8, HigherIsBetter: true}
			case 3:
				r.Status = profile.Running
			}
			set.Runs = append(set.Runs, r)
		}
		return set
	})
}

// What the columns say of a candidate is what the candidate says when it is
// made, and it can be found again by itself.
func TestColumnsAreThoseOfTheCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := question.Workload{Model: "net", Mode: profile.Infer, Units: 1e4, MaxCount: rapid.IntRange(0, 4).Draw(t, "most"), Purchase: profile.OnDemand}
		if rapid.Bool().Draw(t, "predicted") {
			w.Predictor = guess{0.3}
		}
		set := inferences().Draw(t, "set")
		s, again := Lay(set, w, nil), Lay(set, w, nil)
		live := false
		seen := map[string]bool{}
		for i := range s.Len() {
			c := s.At(i)
			if seen[c.ID] {
				t.Fatalf("%s is there twice", c.ID)
			}
			seen[c.ID] = true
			one := NewSpace([]Candidate{*c})
			for name, columns := range map[string][2][]float64{"time": {s.Time, one.Time}, "cost": {s.Cost, one.Cost}, "accuracy": {s.Accuracy, one.Accuracy}, "loss": {s.Loss, one.Loss}} {
				if got, want := columns[0][i], columns[1][0]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Fatalf("%s of %s: %g in the column, %g made", name, c.ID, got, want)
				}
			}
			if s.barred[i] != one.barred[0] || s.cell[i] != one.cell[0] || s.timeSpread.sigma[i] != one.timeSpread.sigma[0] || s.costSpread.sigma[i] != one.costSpread.sigma[0] {
				t.Fatalf("%s differs from what it is when made", c.ID)
			}
			if k, ok := again.Find(c); !ok || k != i {
				t.Fatalf("%s is at %d, found at %d, %v", c.ID, i, k, ok)
			}
			live = live || c.Live
		}
		next := 0
		s.Groups(func(first, end int, c *Candidate) {
			if first != next || end <= first {
				t.Fatalf("a group from %d to %d after %d", first, end, next)
			}
			next = end
			one := s.At(first)
			if c.Model != one.Model || c.Variant != one.Variant || c.BatchSize != one.BatchSize || len(c.Configuration) != 1 ||
				c.Configuration[0].VM.Key() != one.Configuration[0].VM.Key() || c.Configuration[0].VM.GPU != one.Configuration[0].VM.GPU ||
				c.Time.Known() && (c.Time.Value != one.Time.Value || c.Time.Basis != one.Time.Basis) || (c.OverMemory == nil) != (one.OverMemory == nil) {
				t.Fatalf("a group of %+v, whose first is %+v", c, one)
			}
		})
		if next != s.Len() {
			t.Fatalf("groups up to %d of %d", next, s.Len())
		}
		if _, ok := s.Live(); ok != live {
			t.Fatalf("a probe runs: %v, said %v", live, ok)
		}
	})
}

func TestKeepIsAskedOnceForAllCounts(t *testing.T) {
	r := profile.Run{
		ID: 1, Model: "net", Mode: profile.Infer, Cloud: "aws", InstanceType: "a", GPUCount: 1, Count: 1, BatchSize: 32,
		Status: profile.Done, Basis: estimate.Measured, Steady: estimate.Spread(0.1, 0.1, estimate.Measured),
	}
	asked := 0
	for _, keep := range []bool{true, false} {
		asked = 0
		s := Lay(runs(r), question.Workload{Model: "net", Mode: profile.Infer, Units: 100, MaxCount: 4}, func(*Candidate) bool { asked++; return keep })
		if want := map[bool]int{true: 4, false: 0}[keep]; s.Len() != want || asked != 1 {
			t.Errorf("keep says %v: %d candidates, asked %d times", keep, s.Len(), asked)
		}
	}
}

// The order is that of a plain sort by all there is.
func TestOrderIsThatOfAPlainSort(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 1 + 1e-12, 2, math.NaN(), math.Inf(1)}))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 5, 40, 1<<12 + 7}).Draw(t, "n")
		few := rapid.SliceOfN(value, 1, 40).Draw(t, "values")
		s := &Space{Time: make([]float64, n), Cost: make([]float64, n), Loss: make([]float64, n)}
		keys := make([]float64, n)
		for i := range n {
			keys[i], s.Time[i], s.Cost[i], s.Loss[i] = few[i*7%len(few)], few[i*3%len(few)], few[i*5%len(few)], few[i%len(few)]
		}
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int {
			for _, column := range [][]float64{keys, s.Time, s.Cost, s.Loss} {
				if c := lastNaN(column[a], column[b]); c != 0 {
					return c
				}
			}
			return 0
		})
		if got := s.sort(func(i int) float64 { return keys[i] }); !slices.Equal(got, want) {
			t.Fatalf("%s", fmt.Sprint("got ", got, " want ", want))
		}
	})
}
