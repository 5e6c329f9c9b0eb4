package rank

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
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

// priceDraws draws how far off the prices of the contenders' VM types may be, by
// candidate; nil for one whose price is taken as quoted. Candidates on one VM
// type share the draw.
func (r *Result) priceDraws(o Objective, contenders []int) map[int][]float64 {
	if o != ObjectiveCost {
		return nil
	}

	out, drawn := map[int][]float64{}, map[profile.VMKey][]float64{}
	for _, i := range contenders {
		if r.Space.costSpread.sigma[i] == r.Space.timeSpread.sigma[i] {
			continue
		}
		c := r.Space.At(i)
		key, sigma := c.Configuration[0].VM.Key(), c.Configuration[0].PriceSpread
		if drawn[key] == nil {
			h := fnv.New64a()
			_, _ = h.Write([]byte(key.Cloud + "\x00" + key.Region + "\x00" + key.InstanceType)) // never fails
			rng := rand.New(rand.NewPCG(h.Sum64(), 0x5eed))
			z := make([]float64, draws)
			for d := range z {
				z[d] = sigma * rng.NormFloat64()
			}
			drawn[key] = z
		}
		out[i] = drawn[key]
	}
	return out
}

// sigma is the standard deviation of the logarithm of what the objective is by.
func (c *Candidate) sigma(o Objective) float64 {
	if o == ObjectiveTime || len(c.Configuration) != 1 {
		return c.Time.LogSigma()
	}
	return math.Hypot(c.Time.LogSigma(), c.Configuration[0].PriceSpread)
}
