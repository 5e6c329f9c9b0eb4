package request

import (
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// ForQuery says how precise a run must be for its place in a ranking: the one
// that the query asks for, or of another model, [ForEpochs]. With 0 epochs it is
// the query alone.
func ForQuery(set *profile.Set, q question.Query, epochs float64) func(profile.Run) (float64, string) {
	return func(r profile.Run) (float64, string) {
		if r.Model == q.Model && r.Mode == q.Mode || epochs <= 0 {
			return rank.DecisionPrecision(set, q, r)
		}
		return ForEpochs(set, epochs)(r)
	}
}

// ForEpochs says how precise a run must be for its place in the ranking of a
// training of so many epochs: by cost where the run has a price, else by time.
func ForEpochs(set *profile.Set, epochs float64) func(profile.Run) (float64, string) {
	return func(r profile.Run) (float64, string) {
		if r.Mode != profile.Train {
			return 0, ""
		}
		q := question.Query{Workload: question.Workload{Model: r.Model, Mode: r.Mode, Epochs: &epochs, Purchase: profile.OnDemand}, Sort: question.ByTime}
		if r.USDPerHour != nil {
			q.Sort = question.ByCost
		}
		return rank.DecisionPrecision(set, q, r)
	}
}
