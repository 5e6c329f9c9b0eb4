package candidate_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// inferences draws sets with several runs of a cell, runs out of memory, VM types
// with and without a price, and machines that can't be rented.
func inferences() *rapid.Generator[*profile.Set] {
	return rapid.Custom(func(t *rapid.T) *profile.Set {
		set := &profile.Set{VMTypes: []profile.VMType{
			{Cloud: "aws", InstanceType: "a", GPU: "T4", GPUCount: 1, GPUMemGiB: new(16.0),
				Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 0.5}}},
			{Cloud: "aws", InstanceType: "b", GPU: "T4", GPUCount: 4,
				Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 2}, {Purchase: profile.OnDemand, USDPerHour: 3}}},
			{Cloud: "aws", InstanceType: "c", GPU: "A10G", GPUCount: 1},
		}}
		for i := range rapid.IntRange(1, 12).Draw(t, "runs") {
			seconds := rapid.Float64Range(0.01, 1).Draw(t, "seconds")
			r := profile.Run{
				ID: int64(i + 1), Model: "net", Mode: profile.Infer, Status: profile.Done,
				Basis:        rapid.SampledFrom([]estimate.Basis{estimate.Measured, estimate.Published}).Draw(t, "basis"),
				Variant:      profile.Variant{Name: rapid.SampledFrom([]string{"", "pruned"}).Draw(t, "variant")},
				BatchSize:    32 << rapid.IntRange(0, 1).Draw(t, "batch"),
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
				r.PeakMemoryBytes = new(20.0 * (1 << 30))
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
// made but for last bits, and it can be found again by itself.
func TestColumnsAreThoseOfTheCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := question.Workload{Model: "net", Mode: profile.Infer, Units: 1e4, MaxCount: rapid.IntRange(0, 4).Draw(t, "most"),
			Purchase: profile.OnDemand}
		var p candidate.Predictor
		if rapid.Bool().Draw(t, "predicted") {
			p = guess{0.3}
		}
		set := inferences().Draw(t, "set")
		s, again := rank.NewSpace(candidate.NewList(set, w, p, nil)), rank.NewSpace(candidate.NewList(set, w, p, nil))
		live := false
		seen := map[string]bool{}
		for i := range s.Len() {
			c := s.At(i)
			if seen[c.ID] {
				t.Fatalf("%s is there twice", c.ID)
			}
			seen[c.ID] = true
			one := rank.NewSpace(candidate.ListOf(*c))
			for _, o := range s.Objectives {
				got, want := s.Values(o.Name)[i], one.Values(o.Name)[0]
				if !(math.Abs(got-want) <= 2*pareto.Equal*want) && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Fatalf("%s of %s: %g in the column, %g made", o.Name, c.ID, got, want)
				}
			}
			if k, ok := again.Find(c); !ok || k != i {
				t.Fatalf("%s is at %d, found at %d, %v", c.ID, i, k, ok)
			}
			live = live || c.Live
		}
		for i, c := range s.All() {
			one := s.At(i)
			if c.Cell != one.Cell || c.Timing() != one.Timing() || (c.OverMemory == nil) != (one.OverMemory == nil) ||
				c.Time != one.Time || c.Cost != one.Cost ||
				c.Sigma(objective.Time) != one.Sigma(objective.Time) || c.Sigma(objective.Cost) != one.Sigma(objective.Cost) {
				t.Fatalf("%s differs from what it is when made", one.ID)
			}
		}
		next := 0
		s.Groups(func(first, end int, c *candidate.Candidate) {
			if first != next || end <= first {
				t.Fatalf("a group from %d to %d after %d", first, end, next)
			}
			next = end
			one := s.At(first)
			if c.Model != one.Model || c.Variant != one.Variant || c.BatchSize != one.BatchSize || len(c.Configuration) != 1 ||
				c.Configuration[0].VM.Key() != one.Configuration[0].VM.Key() ||
				c.Configuration[0].VM.GPU != one.Configuration[0].VM.GPU ||
				c.Time.Known() && (c.Time.Value != one.Time.Value || c.Time.Basis != one.Time.Basis) ||
				(c.OverMemory == nil) != (one.OverMemory == nil) {
				t.Fatalf("a group of %+v, whose first is %+v", c, one)
			}
		})
		if next != s.Len() {
			t.Fatalf("groups up to %d of %d", next, s.Len())
		}
		if (s.Live >= 0) != live {
			t.Fatalf("a probe runs: %v, said %d", live, s.Live)
		}
	})
}

// Columns are those of the candidates under any bill.
func TestColumnsHoldTheBill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := question.Workload{Model: "net", Mode: profile.Infer, Units: 1e4, MaxCount: 3, Purchase: profile.Spot,
			Bill: bills().Draw(t, "bill")}
		s := rank.NewSpace(candidate.NewList(withSpot(inferences().Draw(t, "set")), w, nil, nil))
		for i := range s.Len() {
			c := s.At(i)
			if same := func(a float64, b estimate.Estimate) bool {
				return math.Abs(a-b.Value) <= 2*pareto.Equal*a && b.Known() || math.IsNaN(a) && !b.Known()
			}; !same(s.Values(objective.Time)[i], c.Time) || !same(s.Values(objective.Cost)[i], c.Cost) {
				t.Errorf("%s: columns %g and %g, made %+v and %+v", c.ID, s.Values(objective.Time)[i], s.Values(objective.Cost)[i],
					c.Time, c.Cost)
			}
			if c.Configuration[0].VM.Cloud == "" && c.Slowdown.Known() {
				t.Errorf("%s is one's own and was interrupted", c.ID)
			}
			if c.Cost.Known() && !(c.Cost.Low < c.Cost.High) {
				t.Errorf("%s has a bare spot price: %+v", c.ID, c.Cost)
			}
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
		s := candidate.NewList(runs(r), question.Workload{Model: "net", Mode: profile.Infer, Units: 100, MaxCount: 4}, nil,
			func(*candidate.Candidate) bool { asked++; return keep })
		if want := map[bool]int{true: 4, false: 0}[keep]; s.Len() != want || asked != 1 {
			t.Errorf("keep says %v: %d candidates, asked %d times", keep, s.Len(), asked)
		}
	}
}

// Of very many cells fewer VMs each are listed, so that no count makes more candidates
// than memory holds.
func TestVeryManyCandidates(t *testing.T) {
	set := &profile.Set{}
	for id := range int64(20_000) {
		r := infer(32, 1, 1)
		r.ID, r.Variant.Name = id+1, fmt.Sprint(id)
		set.Runs = append(set.Runs, r)
	}
	w := question.Workload{Model: "net", Mode: profile.Infer, Units: 1e6, Purchase: profile.OnDemand, MaxCount: 1000}
	if l := candidate.NewList(set, w, nil, nil); l.MaxCount != 500 || l.Len() != 500*20_000 {
		t.Errorf("%d candidates on up to %d VMs", l.Len(), l.MaxCount)
	}
	set.Runs = set.Runs[:2]
	if l := candidate.NewList(set, w, nil, nil); l.MaxCount != 1000 || l.Len() != 2000 {
		t.Errorf("%d candidates on up to %d VMs", l.Len(), l.MaxCount)
	}
	for count, ok := range map[int]bool{0: false, 1: true, 1000: true, 1001: false, math.MaxInt: false} {
		q := question.Default()
		q.Model, q.Mode, q.MaxCount = "net", profile.Infer, count
		if err := q.Check(); (err == nil) != ok {
			t.Errorf("up to %d VMs: %v", count, err)
		}
	}
}
