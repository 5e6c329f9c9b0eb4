package steady_test

import (
	"fmt"

	"sweetspot/engine/steady"
)

// The first iteration and the warm-up are cut, and the mean of the rest has an
// interval.
func ExampleSummarise() {
	seconds := []float64{4.2, 0.9, 0.7, 0.5, 0.35, 0.22}
	for i := range 100 {
		seconds = append(seconds, 0.1+0.002*float64(i%3))
	}
	s := steady.Summarise(seconds)
	fmt.Printf("first %.1f s, warm-up %d iterations\n", s.First, s.Warmup)
	fmt.Printf("steady %.4f s ±%.2f %%\n", s.Steady.Value, 100*s.Steady.HalfWidth())
	// Output:
	// first 4.2 s, warm-up 5 iterations
	// steady 0.1020 s ±0.27 %
}

// A probe asks the rule after every iteration whether it may stop.
func ExampleRule() {
	var s steady.Series
	rule := steady.DefaultRule()
	elapsed := 0.0
	for i := 0; ; i++ {
		seconds := 0.5 + 0.01*float64(i%4)
		s.Add(seconds)
		elapsed += seconds
		if v := rule.Judge(s.BriefSummary(), elapsed); v.Stop {
			fmt.Println(v.Reason+":", v.Words)
			return
		}
	}
	// Output:
	// precise: ±0.7 % after 42 steady steps
}
