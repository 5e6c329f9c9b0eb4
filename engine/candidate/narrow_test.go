package candidate_test

import (
	"fmt"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// manyVariants are inference runs at a batch size each, beside VM types that none
// was on.
func manyVariants(variants, offers int) *profile.Set {
	set := &profile.Set{}
	for i := range variants {
		set.Runs = append(set.Runs, profile.Run{
			ID: int64(i + 1), Model: "net", Mode: profile.Infer, Count: 1, BatchSize: 8 << (i % 4), InstanceType: "mine",
			GPU: "T4", GPUCount: 1,
			Variant: profile.Variant{Name: fmt.Sprint("v", i)}, Steady: estimate.Exact(1, estimate.Measured),
			Basis: estimate.Measured, Status: profile.Done,
		})
	}
	for i := range offers {
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "aws", InstanceType: fmt.Sprint("vm", i), GPU: "T4",
			GPUCount: 1})
	}
	return set
}

// Predictions that would be too many are narrowed, by what the question leaves
// of them, and the space tells how.
func TestNarrowedPredictions(t *testing.T) {
	const own = 1 // on the machine that was measured
	for _, c := range []struct {
		variants, offers, most int
		asked                  []string
		narrowed               candidate.Narrowed
		each                   int // predictions of a variant on a VM type
	}{
		{10, 5, 4, nil, candidate.InFull, 4 * 4},
		{500, 60, 4, nil, candidate.OwnBatches, 1},
		{500, 60, 4, []string{"v7"}, candidate.InFull, 4 * 4},
		{5000, 500, 1, nil, candidate.Nothing, 0},
	} {
		w := question.Workload{Model: "net", Mode: profile.Infer, Units: 1e6, Purchase: profile.OnDemand, MaxCount: c.most,
			Variants: c.asked}
		s := rank.NewSpace(candidate.NewList(manyVariants(c.variants, c.offers), w, guess{1}, nil))
		variants := c.variants
		if c.asked != nil {
			variants = len(c.asked)
		}
		if want := variants * (own + c.each*c.offers); s.Narrowed != c.narrowed || s.Len() != want {
			t.Errorf("%d variants on %d VM types: %d candidates, narrowed %d; want %d, %d", c.variants, c.offers, s.Len(),
				s.Narrowed, want, c.narrowed)
		}
	}
}
