package batching

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drifting is what a server would have logged whose steps all take longer at some times than at
// others: for each span of seconds by a factor. The clock of its steps is slowed down by it, so that it is
// simulated on its own clock and read on that of the clients.
func drifting(t *testing.T, s Server, requests []Request, every float64, factors []float64) []Observed {
	t.Helper()
	own := func(client float64) float64 { // what the server's own clock shows
		sum := 0.0
		for _, f := range factors {
			sum += min(client, every) / f
			if client -= every; client <= 0 {
				return sum
			}
		}
		return sum + client
	}
	clients := func(at float64) float64 {
		low, high := 0.0, 1e6
		for high-low > 1e-9 {
			if middle := (low + high) / 2; own(middle) < at {
				low = middle
			} else {
				high = middle
			}
		}
		return low
	}
	slowed := slices.Clone(requests)
	for i, r := range requests {
		slowed[i].ArrivalS = own(r.ArrivalS)
	}
	out, err := Simulate(slowed, s)
	if err != nil {
		t.Fatal(err)
	}
	log := out.Observe(requests)
	for i := range log {
		for _, at := range []*float64{&log[i].AdmittedS, &log[i].FirstS, &log[i].LastS} {
			*at = clients(*at)
		}
	}
	return log
}

// wander are factors whose logarithms have a standard deviation, each one like the one before it.
func wander(n int, sigma, like float64, rng *rand.Rand) []float64 {
	out, x := make([]float64, n), sigma*rng.NormFloat64()
	for i := range out {
		out[i] = math.Exp(x)
		x = like*x + sigma*math.Sqrt(1-like*like)*rng.NormFloat64()
	}
	return out
}

var drifted = Server{Times{0.012, 4e-4, 0, 3e-4, 1e-7, 0.005, 0, 0}, Settings{256, 512, Unlimited}}

// The intervals from a part of a log hold what the rest of it shows where the server is now slower, now
// faster. Over 24 logs they hold 82 % where each level is like the one before it and 95 % where it is not; without
// levels, 50 and 80 %.
func TestIntervalsHoldLaterLevels(t *testing.T) {
	held, all := 0, 0
	for seed := range uint64(16) {
		requests := Synthetic(Lengths{Input: 128, Output: 64, Spread: 0.5}, 260, 1.5, seed)
		log := drifting(t, drifted, requests, 8, wander(60, 0.1, 0.7, rand.New(rand.NewPCG(seed, 5))))
		got, err := Fit(log, 100, drifted.Settings)
		if err != nil {
			t.Fatal(err)
		}
		later := func(log []Observed) []float64 {
			l := LatenciesOf(log[100:], nil)
			return []float64{l.TTFT.P50, l.TTFT.P95, l.TPOT.P50, l.TPOT.P95}
		}
		found, err := got.Estimate(func(s Server) ([]float64, error) {
			out, err := Simulate(requests, s)
			if err != nil {
				return nil, err
			}
			return later(out.Observe(requests)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range later(log) {
			if all++; found[i].Low <= v && v <= found[i].High {
				held++
			}
		}
	}
	if share := float64(held) / float64(all); share < 0.7 {
		t.Errorf("of %d later percentiles %d are in their intervals", all, held)
	}
}

// What parts of a log differ by is found, whatever single requests differ by, and nothing is found where only these do.
func TestDrift(t *testing.T) {
	requests := Synthetic(Lengths{Input: 128, Output: 64, Spread: 0.5}, 300, 1.5, 3)
	begin := drifted.Times.begin([terms]float64{}, 1e-9)
	at := attempt{Settings: drifted.Settings, of: usual, x: chosen(begin[:], usual)}
	for _, c := range []struct {
		sd          float64
		least, most float64
	}{{0, 0, 0.01}, {0.1, 0.05, 0.15}, {0.3, 0.15, 0.45}} {
		rng := rand.New(rand.NewPCG(7, 1))
		log := drifting(t, drifted, requests, 25, wander(20, c.sd, 0, rng))
		for i, o := range log {
			log[i].LastS += 0.05 * rng.NormFloat64() * (o.LastS - o.FirstS)
		}
		f, err := newFitter(log, len(log))
		if err != nil {
			t.Fatal(err)
		}
		d := f.drift(at)
		if d.parts != mostParts || !(d.sigma >= c.least && d.sigma <= c.most) {
			t.Errorf("levels with a standard deviation of %g: %+v", c.sd, d)
		}
		f.seen = log[:fewParts*fewest-1]
		if d := f.drift(at); d != (drift{}) {
			t.Errorf("%d requests show %+v", len(f.seen), d)
		}
	}
}

// Levels are those of Student's distribution for one more part, in all draws together.
func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	if got := (drift{parts: 8}).levels(3, rng); !slices.Equal(got, []float64{1, 1, 1}) {
		t.Errorf("no drift gives %v", got)
	}
	got := drift{sigma: 0.1, parts: 4}.levels(100, rng)
	slices.Sort(got)
	// The 95 % quantile with three degrees of freedom is 2.353.
	if want := math.Exp(2.353 * 0.1 * math.Sqrt(1.25)); math.Abs(ranked(got, 0.95)/want-1) > 0.02 ||
		math.Abs(ranked(got, 0.05)*want-1) > 0.02 {
		t.Errorf("from %g to %g, want %g", ranked(got, 0.05), ranked(got, 0.95), want)
	}
}
