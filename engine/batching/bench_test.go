package batching

import "testing"

// BenchmarkServingLLM is an hour of 50 requests a second with lengths like those
// of a chat service on one replica that keeps up with them.
func BenchmarkServingLLM(b *testing.B) {
	requests := Synthetic(Lengths{Input: 1000, Output: 200, Spread: 0.8}, 180_000, 50, 1)
	s := Server{Times{0.006, 6e-6, 4e-11, 1.5e-5, 8e-9, 0, 0, 0}, Settings{1024, 8192, 2_000_000}}
	for b.Loop() {
		o, err := Simulate(requests, s)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(o.Steps), "steps")
		b.ReportMetric(float64(o.MostRunning), "running")
	}
}
