package validate

import (
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// mostRuns is the largest set that is back-tested beside other work: each case
// is predicted anew, without what it must not know.
const mostRuns = 2000

// ByBasis back-tests the predictions of each basis on the set itself, for the
// words beside a number: "on your 14 runs this was off by 4 % (median)". A basis
// that no run can test is missing.
func ByBasis(set *profile.Set) map[estimate.Basis]Summary {
	out := map[estimate.Basis]Summary{}
	if len(set.Runs) > mostRuns {
		return out
	}
	for basis, q := range map[estimate.Basis]Question{
		estimate.Measured: total("total", 2, true), estimate.OtherBatch: fromTwoBatches, estimate.Transferred: neverProbed,
	} {
		if s := Summarise(q.Cases(set)); s.N > 0 {
			out[basis] = s
		}
	}
	return out
}
