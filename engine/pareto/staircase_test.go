package pareto

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestStaircaseIsTheListOfAllPoints holds a staircase of many floors, most of
// them empty, to the points it was given.
func TestStaircaseIsTheListOfAllPoints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		floors := rapid.SampledFrom([]int{1, 2, 64, 256, 1024}).Draw(t, "floors")
		n := rapid.IntRange(0, 60).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		stairs := newStaircase(floors)
		var all []step
		for range n {
			p := step{float64(rng.IntN(2 * floors)), float64(rng.IntN(30))}
			if rng.IntN(2) == 0 {
				p.v += float64(2*floors) - p.u // along the front
			}
			stair := uint32(p.u) / 2
			covered := slices.ContainsFunc(all, func(q step) bool { return q.u <= p.u && q.v <= p.v })
			if got := stairs.covers(stair, p.u, p.v); got != covered {
				t.Fatalf("%v in %v: covered %v, not %v", p, all, got, covered)
			}
			if !covered {
				stairs.add(stair, p.u, p.v)
			}
			all = append(all, p)
		}
	})
}
