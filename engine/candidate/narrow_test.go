package candidate_test

import (
	"fmt"
	"maps"
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

// A network is predicted at the batch sizes that it was run at, not at those of others,
// and on a GPU of which others published one batch size at that one; unless batch sizes
// are asked for.
func TestBatchSizesOfNetworks(t *testing.T) {
	set := manyVariants(0, 0)
	for _, gpu := range []string{"T4", "L4", "A10"} {
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "aws", InstanceType: gpu + " here", GPU: gpu, GPUCount: 1},
			profile.VMType{Cloud: "gcp", InstanceType: gpu + " there", GPU: gpu, GPUCount: 1})
	}
	for _, r := range []struct {
		name, gpu string
		batch     int
		basis     estimate.Basis
	}{
		{"small · a 224 px", "T4", 64, estimate.Published}, {"small · a 224 px", "L4", 256, estimate.Published},
		{"large · b 384 px", "T4", 32, estimate.Published}, {"own · c", "T4", 8, estimate.Measured},
		{"own · d", "L4", 16, estimate.Measured},
	} {
		set.Runs = append(set.Runs, profile.Run{
			ID: int64(len(set.Runs) + 1), Model: "net", Mode: profile.Infer, Count: 1, BatchSize: r.batch, Cloud: "aws",
			InstanceType: r.gpu + " here", GPU: r.gpu, GPUCount: 1, Variant: profile.Variant{Name: r.name},
			Steady: estimate.Exact(1, r.basis), Basis: r.basis, Status: profile.Done,
		})
	}
	w := question.Workload{Model: "net", Mode: profile.Infer, Units: 1e6, Purchase: profile.OnDemand, MaxCount: 1}
	batches := func() map[string]int {
		found := map[string]int{}
		s := rank.NewSpace(candidate.NewList(set, w, guess{1}, nil))
		for i := range s.Len() {
			c := s.At(i)
			found[fmt.Sprintf("%s at %d on %s", c.Variant.Network(), c.BatchSize, c.Configuration[0].VM.GPU)]++
		}
		return found
	}
	want := map[string]int{
		"small at 64 on T4": 2, "small at 256 on L4": 2, "small at 64 on A10": 2, "small at 256 on A10": 2,
		"large at 32 on T4": 2, "large at 32 on L4": 2, "large at 32 on A10": 2,
	}
	for _, gpu := range []string{"T4", "L4", "A10"} { // two variants of one network share their batch sizes
		want["own at 8 on "+gpu], want["own at 16 on "+gpu] = 4, 4
	}
	if got := batches(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	w.BatchSizes = []int{64}
	for _, at := range []string{"small at 64 on L4", "large at 64 on A10"} {
		if got := batches(); got[at] != 2 {
			t.Errorf("asked for batch 64: %v", got)
		}
	}
}
