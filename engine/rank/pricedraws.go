package rank

import (
	"hash/fnv"
	"math/rand/v2"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
)

// priceDraws draws how far off the prices of the contenders' VM types may be, by
// candidate; nil for one whose price is taken as quoted. Candidates on one VM
// type share the draw.
func (r *Result) priceDraws(o objective.Name, contenders []int) map[int][]float64 {
	if o != objective.Cost {
		return nil
	}

	out, drawn := map[int][]float64{}, map[profile.VMKey][]float64{}
	for _, i := range contenders {
		if r.Space.column(objective.Cost).sigma[i] == r.Space.column(objective.Time).sigma[i] {
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
