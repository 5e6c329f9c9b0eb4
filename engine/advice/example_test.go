package advice_test

import (
	"fmt"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// Twenty minutes more than the deadline would save half of the cost.
func ExampleRelaxations() {
	of := func(id string, cell int, seconds, usd float64) candidate.Candidate {
		time := estimate.Spread(seconds, 0.01, estimate.Measured)
		return candidate.Candidate{ID: id, Cell: cell, Time: time, Cost: time.Times(usd / seconds)}
	}
	space := rank.NewSpace(candidate.ListOf(of("small", 0, 4800, 2), of("large", 1, 1800, 4)))
	r := rank.Evaluate(space, question.Query{Sort: question.ByCost, Limits: question.Limits{objective.Time: 3600}})
	for _, x := range advice.Relaxations(r) {
		fmt.Printf("%s: %.0f s instead of %.0f s saves $%.2f with %s\n", x.Constraint, x.Need, x.Limit, x.Gain,
			space.At(x.Candidate).ID)
	}
	// Output:
	// time: 4800 s instead of 3600 s saves $2.00 with small
}
