package advice

import (
	"math"

	"sweetspot/engine/objective"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// Choice is the candidate to take, how sure that is and what would change it.
type Choice struct {
	Candidate int
	// By is the objective that the ranking is by; "" for the score and for values per
	// unit of accuracy.
	By objective.Name
	// Tied are the candidates that tie with it in that objective, itself included, or
	// 0; Decided is whether it is the first of them by the other objectives.
	Tied    int
	Decided bool
	// Sure is the probability that no candidate outside the tie is better in the
	// objective; NaN where nothing can be said.
	Sure float64
	// Flip is the price of its VM type at which another one becomes the cheapest; nil
	// where none does or the ranking is not by cost.
	Flip *Flip
	// Crossover is the nearest number of epochs at which another one becomes the best in
	// the objective; nil where none is known.
	Crossover *Crossover
	// Probed is the best candidate that rests on runs of its own where the choice
	// itself is a prediction; −1 where there is none or the choice is no prediction.
	Probed int
}

// Choose is the candidate to take of a ranking. chances is
// [rank.Result.BestProbability], or what it has answered before, and crossovers are
// those of the ranking. ok is false where nothing is feasible.
func Choose(r *rank.Result, chances func(objective.Name) map[int]float64, crossovers []Crossover) (c Choice, ok bool) {
	c.Candidate, ok = Recommended(r)
	if !ok {
		return c, false
	}
	c.Sure, c.Probed = math.NaN(), -1
	members := []int{c.Candidate}
	place := r.Place(c.Candidate)
	if tied, _ := r.TieAt(place); len(tied) > 0 {
		members, c.Tied = tied, len(tied)
		before, _ := r.TieAt(place - 1)
		c.Decided = place == 0 || len(before) == 0 || before[0] != tied[0]
	}
	by, perAccuracy := r.Query.Sort.Objective()
	if !perAccuracy && r.Query.Sort != question.ByScore {
		c.By = by
		if p := chances(by); p != nil && !math.IsNaN(r.Space.Values(by)[c.Candidate]) {
			c.Sure = 0
			for _, i := range members {
				c.Sure += p[i]
			}
			c.Sure = min(c.Sure, 1) // rounding
		}
	}
	if c.By == objective.Cost {
		if flip, found := PriceFlip(r, c.Candidate); found && flip.USDPerHour > flip.Now*(1+rank.Material) {
			c.Flip = &flip
		}
	}
	c.Crossover = nearestCrossover(r, c, crossovers)
	if r.Space.IsPredicted(c.Candidate) {
		c.Probed = firstProbed(r)
	}
	return c, true
}

// nearestCrossover is the one at which the choice begins or ceases to be the best, by
// the ratio of its epochs to those asked for.
func nearestCrossover(r *rank.Result, c Choice, all []Crossover) (nearest *Crossover) {
	if r.Query.Epochs == nil {
		return nil
	}
	distance := func(x *Crossover) float64 { return math.Abs(math.Log(x.Epochs / *r.Query.Epochs)) }
	for k := range all {
		x := &all[k]
		if x.Objective == c.By && (x.From == c.Candidate || x.To == c.Candidate) &&
			(nearest == nil || distance(x) < distance(nearest)) {
			nearest = x
		}
	}
	return nearest
}

// probedDepth is among how many of the first candidates one that was probed is looked
// for: of a million, those that nobody will look at need not be made.
const probedDepth = 10_000

// firstProbed is the best candidate that rests on runs of its own; −1 for none.
func firstProbed(r *rank.Result) int {
	for _, i := range r.Head(probedDepth) {
		if !r.Space.IsPredicted(i) {
			return i
		}
	}
	return -1
}
