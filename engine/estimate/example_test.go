package estimate_test

import (
	"fmt"

	"sweetspot/engine/estimate"
)

// What is computed from several estimates has the basis that is trusted least.
func ExampleEstimate_Plus() {
	startup := estimate.Spread(20, 0.5, estimate.Published)
	work := estimate.Spread(600, 0.02, estimate.Measured)
	total := startup.Plus(work)
	fmt.Printf("%.0f s ±%.1f %%, %s\n", total.Value, 100*total.HalfWidth(), total.Basis)
	// Output:
	// 620 s ±2.4 %, published
}
