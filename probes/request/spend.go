package request

import (
	"fmt"

	"sweetspot/engine/quantity"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
)

// startUp is what a probe may take before its first step: the framework is
// loaded, data is read. An allowance, not a bound.
const startUp = 5.0

// Spend is what probes are expected to take.
type Spend struct {
	Probes    int
	Low, High float64  // seconds, of all hosts together
	USDLow    *float64 // nil without a price
	USDHigh   *float64
}

// Expect estimates the spend of the cells: at least what the rule's least
// needs, at most the cap, or ten minutes where there is none.
func (r Request) Expect(cells []matrix.Cell) Spend {
	n := float64(len(cells))
	high := r.Rule.MaxSeconds
	if high == 0 {
		high = session.UntilStopped.Seconds()
	}
	low := min(startUp+r.Rule.MinSeconds, high)
	s := Spend{Probes: len(cells), Low: n * low, High: n * high}
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
	out += fmt.Sprintf(", %s to %s", quantity.Duration(s.Low), quantity.Duration(s.High))
	if s.USDLow != nil && s.USDHigh != nil {
		out += fmt.Sprintf(", %s to %s", quantity.Money(*s.USDLow), quantity.Money(*s.USDHigh))
	}
	return out
}
