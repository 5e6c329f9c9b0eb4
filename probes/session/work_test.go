package session

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/probes/protocol"
)

// What the steps amount to is the same as if every step were kept, whichever rank
// reports first, and where the steady ones begin at the end of a block.
func TestWorkIsThatOfEveryStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks, n := rapid.IntRange(1, 3).Draw(t, "ranks"), rapid.IntRange(1, 40).Draw(t, "steps")
		number := rapid.Float64Range(0, 10)
		ends, units, waits, seconds := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		var w work
		done := make([]int, ranks)
		for slices.Min(done) < n {
			r := rapid.SampledFrom([]int{0, 1, 2}[:ranks]).Draw(t, "rank")
			i := done[r]
			if i == n || i > slices.Min(done)+2 {
				continue
			}
			done[r]++
			e := protocol.Iteration{Rank: r, Seconds: number.Draw(t, "s"), Units: new(number.Draw(t, "units")),
				Wait: new(number.Draw(t, "wait"))}
			at := float64(i) + number.Draw(t, "at")/100
			w.add(i, e, at)
			ends[i], units[i] = max(ends[i], at), units[i]+*e.Units
			waits[i], seconds[i] = max(waits[i], min(*e.Wait, e.Seconds)), max(seconds[i], e.Seconds)
		}
		first := 1 + blockSteps*rapid.IntRange(0, 4).Draw(t, "cut")
		got := w.from(first, seconds)
		if first >= n {
			if got != (steadyWork{}) {
				t.Fatalf("%+v of no steady step", got)
			}
			return
		}
		sum := func(x []float64) (s float64) {
			for _, v := range x[first:] {
				s += v
			}
			return s
		}
		share := min(sum(waits)/sum(seconds), 1)
		close := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
		if got.begin != slices.Max(ends[max(first-blockSteps, 0):first]) || got.end != slices.Max(ends) ||
			!close(got.units, sum(units)) || sum(seconds) > 0 && !close(*got.waitShare, share) {
			t.Fatalf("%+v of %v, %v, %v from %d", got, ends, units, waits, first)
		}
	})
}

func TestWorkOfALongProbeIsSmall(t *testing.T) {
	var w work
	const n = 100_000
	for i := range n {
		w.add(i, protocol.Iteration{Seconds: 1, Units: new(32.0), Wait: new(0.5)}, float64(i))
	}
	if got := 24 * cap(w.blocks); got > 8*n || len(w.waits) > lag {
		t.Errorf("%d bytes an iteration and %d waits", got/n, len(w.waits))
	}
}
