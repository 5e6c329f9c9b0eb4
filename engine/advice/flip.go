package advice

import (
	"math"

	"sweetspot/engine/objective"
	"sweetspot/engine/rank"
)

// Flip is the price at which a candidate stops being the cheapest.
type Flip struct {
	To         int     // candidate that becomes the cheapest, of another VM type
	USDPerHour float64 // price of one VM of the first candidate at which it does
	Now        float64 // its price now
}

// PriceFlip finds at which price of its VM the feasible candidate i would cost
// as much as the cheapest feasible candidate of another VM type. ok is false
// where i is not the cheaper of the two, or a price is unknown.
func PriceFlip(r *rank.Result, i int) (Flip, bool) {
	s := r.Space
	own, cost := s.At(i).Configuration, s.Values(objective.Cost)
	if len(own) != 1 || own[0].USDPerHour == nil || *own[0].USDPerHour == 0 || math.IsNaN(cost[i]) {
		return Flip{}, false
	}
	rival := -1
	for _, j := range s.Rising(objective.Cost) {
		if math.IsNaN(cost[j]) {
			break
		}
		if !r.Feasible[j] {
			continue
		}
		if other := s.At(int(j)).Configuration; len(other) != 1 || other[0].VM.Key() != own[0].VM.Key() {
			rival = int(j)
			break
		}
	}
	if rival < 0 || cost[rival] < cost[i] {
		return Flip{}, false
	}
	now, fixed := *own[0].USDPerHour, s.At(i).Parts.Fixed()
	return Flip{To: rival, USDPerHour: now * (cost[rival] - fixed) / (cost[i] - fixed), Now: now}, true
}
