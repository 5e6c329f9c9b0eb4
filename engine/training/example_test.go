package training_test

import (
	"fmt"

	"sweetspot/engine/training"
)

// Malta's method 2 predicts a training from its start-up and one steady iteration.
func ExampleMethod2() {
	t := training.Iterations{Startup: 14, Steady: 0.9, PerEpoch: 158.25, FirstValidation: 20, Validation: 18}
	for _, epochs := range []float64{5, 10, 20} {
		fmt.Printf("%.0f epochs: %.0f s\n", epochs, training.Method2(t, epochs))
	}
	// Output:
	// 5 epochs: 817 s
	// 10 epochs: 1619 s
	// 20 epochs: 3224 s
}

// With few epochs the VM that starts fast is best, with many the one with fast
// iterations.
func ExampleCrossovers() {
	lines := []training.Line{{At0: 10, Slope: 4}, {At0: 40, Slope: 1}}
	for _, c := range training.Crossovers(lines, 1, 50) {
		fmt.Printf("from %g epochs on line %d is lower than line %d\n", c.At, c.To, c.From)
	}
	// Output:
	// from 10 epochs on line 1 is lower than line 0
}
