package request

import (
	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
)

// ForEpochs says how precise a run must be for its place in the ranking of a
// training of so many epochs: by cost where the run has a price, else by time.
func ForEpochs(set *profile.Set, epochs float64) func(profile.Run) (float64, string) {
	return func(r profile.Run) (float64, string) {
		if r.Mode != profile.Train {
			return 0, ""
		}
		q := rank.Query{Workload: rank.Workload{Model: r.Model, Mode: r.Mode, Epochs: &epochs, Purchase: profile.OnDemand}, Sort: rank.ByTime}
		if r.USDPerHour != nil {
			q.Sort = rank.ByCost
		}
		return rank.DecisionPrecision(set, q, r)
	}
}
