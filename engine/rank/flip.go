package rank

import "math"

// Flip is the price at which a candidate stops being the cheapest.
type Flip struct {
	To         int     // candidate that becomes the cheapest, of another VM type
	USDPerHour float64 // price of one VM of the first candidate at which it does
	Now        float64 // its price now
}

// PriceFlip finds at which price of its VM the feasible candidate i would cost
// as much as the cheapest feasible candidate of another VM type. ok is false
// where i is not the cheaper of the two, or a price is unknown.
func (r *Result) PriceFlip(i int) (Flip, bool) {
	s := r.Space
	own := s.At(i).Configuration
	if len(own) != 1 || own[0].USDPerHour == nil || *own[0].USDPerHour == 0 || math.IsNaN(s.Cost[i]) {
		return Flip{}, false
	}
	rival := -1
	for _, j := range s.byValue(ObjectiveCost) {
		if math.IsNaN(s.Cost[j]) {
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
	if rival < 0 || s.Cost[rival] < s.Cost[i] {
		return Flip{}, false
	}
	now, fixed := *own[0].USDPerHour, s.At(i).Parts.Fixed()
	return Flip{To: rival, USDPerHour: now * (s.Cost[rival] - fixed) / (s.Cost[i] - fixed), Now: now}, true
}
