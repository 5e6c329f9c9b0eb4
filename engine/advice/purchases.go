package advice

import (
	"math"

	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Bought is how well a plan does with one way of buying VMs.
type Bought struct {
	Purchase profile.Purchase `json:"purchase"`
	// Hypervolume is the share of a rectangle in time and cost that the frontier
	// dominates: larger is better. The rectangle is the same for all ways, from
	// nothing to the slowest and the dearest point of any of their frontiers.
	Hypervolume float64 `json:"hypervolume"`
	Seconds     float64 `json:"fastest_s"`    // of the fastest within the limits
	USD         float64 `json:"cheapest_usd"` // of the cheapest within them
	VMTypes     int     `json:"vm_types"`
	Unpriced    int     `json:"unpriced"` // VM types without such a price
}

// Purchases compares the ways of buying VMs by their time–cost frontiers within
// limits. A way for which there are no prices, or nothing within the limits, is
// left out.
func Purchases(set *profile.Set, w question.Workload, p candidate.Predictor, rental candidate.Rental,
	l question.Limits) []Bought {
	var out []Bought
	var fronts [][]cluster.Configuration
	var slowest, dearest float64
	for _, way := range profile.Purchases {
		w.Purchase = way
		c, err := candidate.Combine(set, w, p, rental)
		if err != nil {
			continue
		}
		front := c.Within(l).TimeCost
		if len(front) == 0 {
			continue
		}
		last := front[len(front)-1] // by rising time and falling cost
		slowest, dearest = math.Max(slowest, last.Seconds), math.Max(dearest, front[0].USD)
		out = append(out, Bought{Purchase: way, Seconds: front[0].Seconds, USD: last.USD + w.Bill.EgressUSD(),
			VMTypes: len(c.Parts), Unpriced: len(c.Unpriced)})
		fronts = append(fronts, front)
	}
	for k, front := range fronts {
		seconds, usd := make([]float64, len(front)), make([]float64, len(front))
		for i, at := range front {
			seconds[i], usd[i] = at.Seconds, at.USD
		}
		out[k].Hypervolume = pareto.Hypervolume2D(seconds, usd, slowest, dearest) / (slowest * dearest)
	}
	return out
}
