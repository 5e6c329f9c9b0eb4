package request

import (
	"sweetspot/engine/advice"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// ForQuery returns how precise a run must be for its rank under the query, or
// for another model under [ForEpochs]. With 0 epochs only the query counts.
func ForQuery(set *profile.Set, q question.Query, epochs float64) func(profile.Run) (float64, string) {
	return func(r profile.Run) (float64, string) {
		if r.Model == q.Model && r.Mode == q.Mode || epochs <= 0 {
			return advice.DecisionPrecision(set, q, r)
		}
		return ForEpochs(set, epochs)(r)
	}
}

// ForEpochs returns how precise a run must be for its rank in a training of
// this many epochs: by cost if the run has a price, else by time.
func ForEpochs(set *profile.Set, epochs float64) func(profile.Run) (float64, string) {
	return func(r profile.Run) (float64, string) {
		if r.Mode != profile.Train {
			return 0, ""
		}
		q := question.Query{Workload: question.Workload{Model: r.Model, Mode: r.Mode, Epochs: &epochs,
			Purchase: profile.OnDemand}, Sort: question.ByTime}
		if r.USDPerHour != nil {
			q.Sort = question.ByCost
		}
		return advice.DecisionPrecision(set, q, r)
	}
}
