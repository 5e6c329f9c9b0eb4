package candidate

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
)

// priceSpread is the standard deviation of the logarithm of a VM type's quotes
// for a purchase option. List prices hardly move; spot quotes of several days
// do.
func priceSpread(prices []profile.Price, p profile.Purchase) float64 {
	var logs []float64
	for _, q := range prices {
		if q.Purchase == p && q.USDPerHour > 0 {
			logs = append(logs, math.Log(q.USDPerHour))
		}
	}
	if len(logs) < 2 {
		return 0
	}
	return stat.StdDev(logs, nil)
}

// widened adds an independent relative error to an estimate's interval.
func widened(e estimate.Estimate, sigma float64) estimate.Estimate {
	if sigma == 0 || !e.Known() {
		return e
	}
	factor := math.Exp(estimate.Z90 * math.Hypot(e.LogSigma(), sigma))
	return estimate.Estimate{Value: e.Value, Low: e.Value / factor, High: e.Value * factor, Basis: e.Basis}
}

// Sigma is the standard deviation of the logarithm of what the objective is by.
func (c *Candidate) Sigma(o objective.Name) float64 {
	switch {
	case o != objective.Time && o != objective.Cost:
		return c.Of(o).LogSigma()
	case o == objective.Time || len(c.Configuration) != 1:
		return c.Time.LogSigma()
	}
	return math.Hypot(c.Time.LogSigma(), c.Configuration[0].PriceSpread)
}
