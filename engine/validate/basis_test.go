package validate

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Each basis is tested by the runs that can: whole trainings with the marks of
// their epochs, and a model at several batch sizes. Nothing is said of others.
func TestByBasis(t *testing.T) {
	if got := ByBasis(&profile.Set{}); len(got) != 0 {
		t.Errorf("of no runs: %+v", got)
	}
	set := &profile.Set{}
	for _, name := range []string{"a", "b"} {
		r := profile.Run{Model: "net", Mode: profile.Train, Cloud: name, InstanceType: name, GPUCount: 1, Count: 1,
			BatchSize: 8,
			Epochs:    new(8.0), TotalS: new(8*60.0 + 5), Basis: estimate.Measured, Status: profile.Done}
		for e := range 8 {
			r.EpochStartsS = append(r.EpochStartsS, 5+60*float64(e))
		}
		set.Runs = append(set.Runs, r)
	}
	got := ByBasis(set)
	if s, ok := got[Estimates{profile.Train, estimate.Measured}]; !ok || s.N != 2 || s.Median > 0.01 {
		t.Errorf("two even trainings: %+v", got)
	}
	if _, ok := got[Estimates{profile.Train, estimate.OtherBatch}]; ok {
		t.Errorf("one batch size tells of no other: %+v", got)
	}
}

// Only what is wanted is tested, training and inference apart, and what is said
// of one is not said of the other.
func TestByBasisOfAMode(t *testing.T) {
	set := grid(lines)
	for i := range set.Runs {
		set.Runs[i].Mode = profile.Infer
	}
	got := ByBasis(set, estimate.OtherBatch, estimate.Transferred)
	if len(got) != 2 || got[Estimates{profile.Infer, estimate.OtherBatch}].N == 0 ||
		got[Estimates{profile.Infer, estimate.Transferred}].N == 0 {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct {
		mode       profile.Mode
		basis      estimate.Basis
		fromEpochs bool
		want       bool
	}{
		{profile.Infer, estimate.OtherBatch, false, true},
		{profile.Train, estimate.OtherBatch, false, false},
		{profile.Infer, estimate.Spec, false, false},
		{profile.Infer, estimate.Measured, false, false},
	} {
		if _, ok := got.Of(c.mode, c.basis, c.fromEpochs); ok != c.want {
			t.Errorf("%s, %s: %t", c.mode, c.basis, ok)
		}
	}
	tested := Tested{{profile.Train, estimate.Measured}: {N: 3}}
	if _, ok := tested.Of(profile.Train, estimate.Measured, false); ok {
		t.Error("iterations that were measured are multiplied, not predicted")
	}
	if s, ok := tested.Of(profile.Train, estimate.Measured, true); !ok || s.N != 3 {
		t.Errorf("from epochs: %+v, %t", s, ok)
	}
	// The epochs to a target are weaker known than the iterations were measured.
	tested = Tested{{profile.Train, estimate.OtherBatch}: {N: 3}}
	for timed, want := range map[*candidate.Candidate]bool{
		{Mode: profile.Train, Time: estimate.Exact(1, estimate.OtherBatch)}: true,
		{Mode: profile.Train, Time: estimate.Exact(1, estimate.Measured)}:   false,
	} {
		if _, ok := tested.For(timed); ok != want {
			t.Errorf("%v: %t", timed.Time.Basis, ok)
		}
	}
}

// Of a large set a sample is tested, always the same one, and it is said so.
func TestSampleOfALargeSet(t *testing.T) {
	set := grid(lines)
	few := ByBasis(set, estimate.OtherBatch)
	large := &profile.Set{}
	for copied := range 20 {
		for _, r := range set.Runs {
			r.Model += fmt.Sprint(" of ", copied)
			large.Runs = append(large.Runs, r)
		}
	}
	first, second := ByBasis(large), ByBasis(large)
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%+v, then %+v", first, second)
	}
	of := Estimates{profile.Train, estimate.OtherBatch}
	if s := first[of]; !s.Sampled || s.N < enough || s.N > 2*enough ||
		!strings.Contains(s.Words(), "on a sample of these runs") {
		t.Errorf("%+v: %s", s, s.Words())
	}
	set.Runs = set.Runs[:15] // one model on three VM types: nine questions each
	if s := ByBasis(set, estimate.OtherBatch)[of]; s.Sampled || s.N != 27 || strings.Contains(s.Words(), "sample") {
		t.Errorf("%+v of %+v: %s", s, few[of], s.Words())
	}
}

// Repeats of a cell go before the only run of another.
func TestThinned(t *testing.T) {
	set := grid(lines)
	cells := len(set.Runs)
	set.Runs = append(set.Runs, set.Runs...)
	any := func(*profile.Run) bool { return true }
	if few, all := thinned(set, 2*cells, any); !all || few != set {
		t.Errorf("%d of %d", len(few.Runs), len(set.Runs))
	}
	few, all := thinned(set, cells+1, any)
	seen := map[string]int{}
	for _, r := range few.Runs {
		seen[fmt.Sprint(r.Model, r.InstanceType, r.BatchSize)]++
	}
	if all || len(few.Runs) != cells+1 || len(seen) != cells {
		t.Errorf("%d runs of %d cells", len(few.Runs), len(seen))
	}
	few, _ = thinned(set, 15, any)
	for _, r := range few.Runs {
		if r.Model != few.Runs[0].Model {
			t.Errorf("not one whole model but %s as well", r.Model)
		}
	}
}

// BenchmarkByBasis tests all bases of a set of so many runs, as a screen does in
// the background when it has loaded one.
func BenchmarkByBasis(b *testing.B) {
	for _, n := range []int{2000, 100_000} {
		set := &profile.Set{}
		for copied := 0; len(set.Runs) < n; copied++ {
			for _, r := range grid(lines).Runs {
				r.Model += fmt.Sprint(" of ", copied)
				set.Runs = append(set.Runs, r)
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				ByBasis(set)
			}
		})
	}
}
