package validate

import (
	"fmt"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// mostRuns is the largest set that is back-tested beside other work: each case
// is predicted anew, without what it must not know.
const mostRuns = 2000

// Tested is how well the predictions of each basis did on a set's own runs.
type Tested map[estimate.Basis]Summary

// ByBasis back-tests the predictions of each basis on the set itself, for the
// words beside a number. A basis that no run can test is missing.
func ByBasis(set *profile.Set) Tested {
	out := Tested{}
	if len(set.Runs) > mostRuns {
		return out
	}
	for basis, q := range map[estimate.Basis]Question{
		estimate.Measured: total("total", 2, true), estimate.OtherBatch: fromTwoBatches, estimate.Transferred: neverProbed, estimate.Spec: neverSeen,
	} {
		if s := Summarise(q.Cases(set)); s.N > 0 {
			out[basis] = s
		}
	}
	return out
}

// Of is how well estimates of such a time did; ok is false where nothing tells.
// Measured batches of inference are multiplied, not predicted.
func (t Tested) Of(mode profile.Mode, b estimate.Basis) (s Summary, ok bool) {
	if mode == profile.Infer && b < estimate.OtherBatch {
		return Summary{}, false
	}
	s, ok = t[b]
	return s, ok
}

// Words is the end of a sentence about estimates that were tested.
func (s Summary) Words() string {
	return fmt.Sprintf("tested %d times on these runs: off by %.2g %% median, %.2g %% p90", s.N, 100*s.Median, 100*s.P90)
}
