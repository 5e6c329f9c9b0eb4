package rank

import (
	"math"
	"math/rand/v2"
)

// Objective is what a probability of being best is asked about.
type Objective string

// The objectives.
const (
	ObjectiveTime Objective = "time"
	ObjectiveCost Objective = "cost"
)

// BestProbability is, for each feasible candidate by index, the probability
// that it is the best of all feasible ones in the objective once the truth of
// every estimate is known; equal ones share. It is nil where a competitor has
// no value or no interval, because nothing can then be said.
//
// Times are resampled as log-normals with the estimates' 90 % intervals, prices
// of which there are several quotes with the spread of these.
func (r *Result) BestProbability(o Objective) map[int]float64 {
	values, contenders := r.contenders(o)
	if contenders == nil {
		return nil
	}
	p := make(map[int]float64, len(r.Order))
	for _, i := range r.Order {
		p[i] = 0
	}
	cells := r.normals(contenders)
	var prices map[int][]float64
	if o == ObjectiveCost {
		prices = r.priceDraws(contenders)
	}
	drawn := make([]float64, len(contenders))
	for d := range draws {
		least := math.Inf(1)
		for k, i := range contenders {
			c := r.Space.At(i)
			drawn[k] = math.Log(values[i]) + c.Time.LogSigma()*cells[c.cell][d]
			if z := prices[i]; z != nil {
				drawn[k] += z[d]
			}
			least = math.Min(least, drawn[k])
		}
		ties := 0
		for _, v := range drawn {
			if v <= least+tie {
				ties++
			}
		}
		for k, i := range contenders {
			if drawn[k] <= least+tie {
				p[i] += 1 / float64(ties*draws)
			}
		}
	}
	return p
}

// draws is the number of resamples behind a probability: its standard error is
// at most 2.2 %.
const draws = 512

// tie is how near the logarithms of two drawn values count as equal: nobody
// should prefer one VM to another for the rounding of a batch.
const tie = Material

// normals draws, per timing cell, how far off its estimate may be. All
// candidates of a cell share the draw: two VM counts that rest on one run are
// wrong together. The seed is the cell alone, so a ranking is the same each
// time it is asked.
func (r *Result) normals(contenders []int) map[int][]float64 {
	cells := map[int][]float64{}
	for _, i := range contenders {
		cell := r.Space.At(i).cell
		if cells[cell] != nil {
			continue
		}
		rng := rand.New(rand.NewPCG(uint64(cell), 0x5eed))
		z := make([]float64, draws)
		for d := range z {
			z[d] = rng.NormFloat64()
		}
		cells[cell] = z
	}
	return cells
}

// contenders are the feasible candidates that could be best at all: those not
// worse at four sigma than every estimate's other end.
func (r *Result) contenders(o Objective) (values []float64, indices []int) {
	s := r.Space
	values = s.Time
	if o == ObjectiveCost {
		values = s.Cost
	}
	const reach = 4
	bound := math.Inf(1)
	for _, i := range r.Order {
		c := s.At(i)
		if !(values[i] > 0) || c.Time.LogSigma() == 0 {
			return nil, nil
		}
		bound = math.Min(bound, values[i]*math.Exp(reach*c.sigma(o)))
	}
	for _, i := range r.Order {
		if values[i]*math.Exp(-reach*s.At(i).sigma(o)) <= bound {
			indices = append(indices, i)
		}
	}
	return values, indices
}
