package approx_test

import (
	"fmt"

	"sweetspot/engine/approx"
)

// The offer of least expected cost is half of the greatest that still saves
// money, whatever the job.
func ExampleAcceptance_Best() {
	prices := approx.Prices{Reserved: 0.985, OnDemand: 3.06}
	job := approx.Candidate{FullS: 3600, ReducedS: 2890}
	most := prices.Most(&job)
	var users approx.Acceptance
	offer := users.Best(most)
	p := users.Probability(offer, most)
	fmt.Printf("s_max %.3f, offer %.3f, accepted by %.0f %%\n", most, offer, 100*p)
	fmt.Printf("expected $%.2f instead of $%.2f\n", prices.Expected(&job, offer, p), prices.OnDemandUSD(&job))
	// Output:
	// s_max 2.870, offer 1.435, accepted by 50 %
	// expected $2.49 instead of $3.06
}
