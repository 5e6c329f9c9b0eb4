package curve

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// counted is held to what it stands for: the mean over trainings drawn at random.
func TestCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, at := range []float64{0.4, 0.97, 1.5, 2.02, 7.6, 19.9, 20.1, 300} {
		for _, spread := range []float64{0.05, 0.2} {
			const draws = 200_000
			sum := 0.0
			for range draws {
				sum += math.Ceil(at * math.Exp(spread*rng.NormFloat64()))
			}
			if got, want := counted(at, spread), sum/draws; math.Abs(got/want-1) > 0.01 {
				t.Errorf("moment %g, spread %g: %g epochs, drawn %g", at, spread, got, want)
			}
		}
	}
}

func TestCountedRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, spread := rapid.Float64Range(0.1, 100).Draw(t, "moment"), rapid.Float64Range(0.02, 0.3).Draw(t, "spread")
		more := at * rapid.Float64Range(1, 2).Draw(t, "factor")
		if counted(more, spread) < counted(at, spread)-1e-3*at {
			t.Fatalf("%g epochs at %g, %g at %g", counted(at, spread), at, counted(more, spread), more)
		}
	})
}
