package curve_test

import (
	"fmt"

	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
)

// Trainings with two batch sizes predict the epochs with a third.
func ExampleWorkload_Target() {
	run := func(batch float64, accuracies ...float64) curve.LearningCurve {
		c := curve.LearningCurve{Batch: batch, Converged: true, Basis: estimate.Measured}
		for i, a := range accuracies {
			c.Points = append(c.Points, curve.Point{Epochs: float64(i + 1), Value: a})
		}
		return c
	}
	w := curve.New([]curve.LearningCurve{
		run(64, 0.4, 0.55, 0.63, 0.68, 0.7),
		run(256, 0.3, 0.42, 0.5, 0.56, 0.6, 0.64, 0.67, 0.69, 0.7),
	}, true)
	p := w.Target(0.7).At(128)
	fmt.Printf("%.1f epochs, between %.0f and %.0f: %s\n", p.Epochs.Value, p.Epochs.Low, p.Epochs.High, p.Why)
	// Output:
	// 6.4 epochs, between 4 and 9: from trainings with 2 other batch sizes
}
