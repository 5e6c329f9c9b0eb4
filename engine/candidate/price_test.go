package candidate_test

import (
	"math"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// A VM type whose spot quotes scatter is less surely the cheapest, and its cost
// has a wider interval; its time has not, and one quote is taken as it is.
func TestPricesAreResampled(t *testing.T) {
	build := func(quotes ...float64) *rank.Result {
		a, b := steadily(train(256, "a"), 10, 0.1, 100), steadily(train(256, "b"), 10, 0.1, 100)
		a.Cloud, a.Region, b.Cloud, b.Region, b.GPU = "aws", "us", "aws", "us", "M60"
		set := runs(a, b)
		set.VMTypes = []profile.VMType{vm("a", "K80", 1, 9), vm("b", "M60", 1, 9)}
		for i, q := range quotes {
			set.VMTypes[0].Prices = append(set.VMTypes[0].Prices, profile.Price{Purchase: profile.Spot, USDPerHour: q,
				AsOf: "2026-0" + string(rune('1'+i))})
		}
		set.VMTypes[1].Prices = append(set.VMTypes[1].Prices, profile.Price{Purchase: profile.Spot, USDPerHour: 1.2})
		q := question.Query{Workload: question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0),
			Purchase: profile.Spot}, Sort: question.ByCost}
		return rank.Evaluate(rank.NewSpace(candidate.NewList(set, q.Workload, nil, nil)), q)
	}
	calm, wild := build(1), build(0.7, 1.5, 1)
	pCalm, pWild := calm.BestProbability(objective.Cost)[calm.First()],
		wild.BestProbability(objective.Cost)[wild.First()]
	if pCalm < 0.97 || pWild > 0.85 || pWild < 0.5 {
		t.Errorf("P(cheapest) %g with one quote, %g with three far apart", pCalm, pWild)
	}
	one, three := calm.Space.At(calm.First()), wild.Space.At(wild.First())
	if one.Cost.Value != three.Cost.Value || three.Cost.HalfWidth() < 3*one.Cost.HalfWidth() || three.Time != one.Time {
		t.Errorf("cost %+v and %+v", one.Cost, three.Cost)
	}
	if got := math.Abs(calm.BestProbability(objective.Time)[0] - wild.BestProbability(objective.Time)[0]); got > 0 {
		t.Errorf("the price moves P(fastest) by %g", got)
	}
}
