package pareto_test

import (
	"fmt"

	"sweetspot/engine/pareto"
)

// Of four configurations the third is dominated: the second is faster and
// cheaper.
func ExampleFrontier2D() {
	hours := []float64{1, 2, 3, 4}
	dollars := []float64{24, 6, 9, 4}
	fmt.Println(pareto.Frontier2D(hours, dollars))
	// Output:
	// [0 1 3]
}
