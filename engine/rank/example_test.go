package rank_test

import (
	"fmt"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// Three candidates by cost: the slow one misses the deadline, and a cent between the
// others is no reason to wait twice as long.
func ExampleEvaluate() {
	of := func(id string, cell int, seconds, usd float64) candidate.Candidate {
		time := estimate.Spread(seconds, 0.05, estimate.Measured)
		return candidate.Candidate{ID: id, Cell: cell, Time: time, Cost: time.Times(usd / seconds)}
	}
	space := rank.NewSpace(candidate.ListOf(of("slow", 0, 9000, 1.50), of("cheap", 1, 4000, 2.00),
		of("fast", 2, 2000, 2.01)))
	r := rank.Evaluate(space, question.Query{Sort: question.ByCost, Limits: question.Limits{objective.Time: 7200}})
	for place, i := range r.Order() {
		tied, _ := r.TieAt(place)
		fmt.Printf("%d %s, one of %d that tie\n", place+1, space.At(i).ID, len(tied))
	}
	fmt.Println("the deadline rules out", r.Because[objective.Time])
	// Output:
	// 1 fast, one of 2 that tie
	// 2 cheap, one of 2 that tie
	// the deadline rules out 1
}
