package batching

import (
	"math"
	"testing"
)

// The time of a batch is that of its simulation, but for the ends.
func TestBatchS(t *testing.T) {
	for _, c := range []struct{ batched, masked float64 }{{0, 0}, {0, 2e-8}, {0.01, 0}} {
		s := Server{Times{0.012, 5e-5, 1e-8, 1e-4, 2e-7, 0, c.batched, c.masked}, Settings{64, 512, Unlimited}}
		for _, n := range []int{1, 2, 16, 64} {
			requests := make([]Request, n)
			for i := range requests {
				requests[i] = Request{0, 256, 100}
			}
			out, err := Simulate(requests, s)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.BatchS(float64(n), 256, 100); math.Abs(got/out.EndS-1) > 0.06 {
				t.Errorf("%d requests at %+v take %.3f s, simulated %.3f", n, c, got, out.EndS)
			}
		}
	}
}
