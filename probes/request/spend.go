package request

import (
	"fmt"

	"sweetspot/engine/quantity"
	"sweetspot/probes/matrix"
)

// Spend is the expected time and cost of probes.
type Spend struct {
	Probes    int
	Low, High float64  // seconds, of all hosts together
	USDLow    *float64 // nil without a price
	USDHigh   *float64
}

// Expect estimates the spend of the cells under the request's rule.
func (r Request) Expect(cells []matrix.Cell) Spend {
	rule := r.Rule
	rule.USDPerHour = r.Machine.USDPerHour
	s := Spend{Probes: len(cells)}
	s.Low, s.High = rule.Spend(len(cells))
	if price := r.Machine.USDPerHour; price != nil {
		usd := func(seconds float64) *float64 {
			v := seconds / 3600 * *price
			if r.Rule.MaxUSD > 0 {
				v = min(v, r.Rule.MaxUSD)
			}
			return &v
		}
		s.USDLow, s.USDHigh = usd(s.Low), usd(s.High)
	}
	return s
}

// String is the spend in words: "30 probes, 5 m to 30 m, $0.10 to $0.60".
func (s Spend) String() string {
	out := fmt.Sprintf("%d probes", s.Probes)
	if s.Probes == 1 {
		out = "1 probe"
	}
	out += ", " + between(s.Low, s.High, quantity.Duration)
	if s.USDLow != nil && s.USDHigh != nil {
		out += ", " + between(*s.USDLow, *s.USDHigh, quantity.Money)
	}
	return out
}

func between(low, high float64, words func(float64) string) string {
	if words(low) == words(high) {
		return "about " + words(high)
	}
	return words(low) + " to " + words(high)
}
