package candidate_test

import (
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// build makes all candidates of a workload.
func build(set *profile.Set, w question.Workload) []candidate.Candidate { return predict(set, w, nil) }

// predict makes all candidates of a workload with a predictor.
func predict(set *profile.Set, w question.Workload, p candidate.Predictor) []candidate.Candidate {
	l := candidate.NewList(set, w, p, nil)
	out := make([]candidate.Candidate, l.Len())
	for i := range out {
		out[i] = *l.At(i)
	}
	return out
}
