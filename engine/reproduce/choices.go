package reproduce

import (
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// choice is a candidate of the ranking whose time, cost and accuracy are
// printed or follow from printed ones, so without an interval.
func choice(seconds, usd, accuracy float64, configuration ...candidate.Part) candidate.Candidate {
	return candidate.Candidate{
		Configuration: configuration,
		Time:          estimate.Exact(seconds, estimate.Published),
		Cost:          estimate.Exact(usd, estimate.Published),
		Quality: &candidate.Quality{
			Metric: "accuracy", HigherIsBetter: true, Estimate: estimate.Exact(accuracy, estimate.Published),
		},
	}
}

// part is a number of VMs of a type named as a study does.
func part(vm string, count int) candidate.Part {
	return candidate.Part{VM: profile.VMType{Cloud: "aws", InstanceType: vm}, Count: count}
}

// ranked puts candidates in order, within the limits.
func ranked(candidates []candidate.Candidate, by question.Sort, limits question.Limits) *rank.Result {
	return rank.Evaluate(rank.NewSpace(candidate.ListOf(candidates...)), question.Query{Sort: by, Limits: limits})
}
