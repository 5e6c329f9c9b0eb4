package batching

import (
	"math"
	"math/rand/v2"
	"testing"
)

// logged is what a server with known times would have logged, a few per cent off.
func logged(t *testing.T, s Server, requests []Request, noise float64) []Observed {
	t.Helper()
	out, err := Simulate(requests, s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 2))
	log := out.Observe(requests)
	for i, o := range log {
		log[i].FirstS += noise * rng.NormFloat64() * 0.1 * o.TTFT()
		log[i].LastS += noise * rng.NormFloat64() * (o.LastS - o.FirstS)
	}
	return log
}

// From the first hundred requests of a server whose cache is the limit, the
// percentiles of the others follow, and so does the size of the cache.
func TestFitFindsTimesAndCache(t *testing.T) {
	s := Server{Times{0.014, 9e-5, 2e-9, 6e-5, 2e-7, 0, 0, 0}, Settings{2048, 2048, 41000}}
	requests := Synthetic(Lengths{Input: 900, Output: 500, Spread: 0.5}, 300, 10, 3)
	log := logged(t, s, requests, 0.01)
	got, err := Fit(log, 100, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if off := math.Abs(float64(got.CacheTokens)/41000 - 1); off > 0.04 {
		t.Errorf("a cache of %d tokens, that is off by %.1f %%", got.CacheTokens, 100*off)
	}
	comparePercentiles(t, s, got.Server, requests, 100, 0.08)
	if len(got.Draws) != draws || got.Used != 100 || !(got.Off > 0 && got.Off < 0.05) {
		t.Errorf("%d draws, %d requests used, off by %g", len(got.Draws), got.Used, got.Off)
	}
}

// Times that few servers have are kept for those, and for no other.
func TestFitFindsWhatFewServersHave(t *testing.T) {
	for _, c := range []struct{ batched, masked float64 }{{0, 0}, {0, 2e-7}, {0.006, 0}, {0.006, 2e-7}} {
		s := Server{Times{0.012, 4e-4, 0, 3e-4, 1e-7, 0.005, c.batched, c.masked}, Settings{256, 512, Unlimited}}
		requests := Synthetic(Lengths{Input: 128, Output: 64, Spread: 0.5}, 300, 3, 3)
		log := logged(t, s, requests, 0.01)
		got, err := Fit(log, 100, Settings{TokenBudget: 512})
		if err != nil {
			t.Fatal(err)
		}
		if (got.MaskedS > 0) != (c.masked > 0) || (got.BatchedS > 0) != (c.batched > 0) {
			t.Errorf("of %+v: %+v", s.Times, got.Times)
		}
		comparePercentiles(t, s, got.Server, requests, 100, 0.05)
	}
}

// comparePercentiles compares those of the requests from one on, as two servers answer them.
func comparePercentiles(t *testing.T, s, fitted Server, requests []Request, from int, most float64) {
	t.Helper()
	truth, err := Simulate(requests, s)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Simulate(requests, fitted)
	if err != nil {
		t.Fatal(err)
	}
	was, is := LatenciesOf(truth.Observe(requests)[from:], nil), LatenciesOf(out.Observe(requests)[from:], nil)
	for what, pair := range map[string][2]float64{
		"median TTFT": {was.TTFT.P50, is.TTFT.P50}, "p95 TTFT": {was.TTFT.P95, is.TTFT.P95},
		"median TPOT": {was.TPOT.P50, is.TPOT.P50}, "p95 TPOT": {was.TPOT.P95, is.TPOT.P95},
	} {
		if off := math.Abs(pair[1]/pair[0] - 1); off > most {
			t.Errorf("%s is %.4g, and %.4g on the server: %+v, %+v", what, pair[1], pair[0], fitted.Times, s.Times)
		}
	}
}

// What came after the requests that are fitted to had ended tells nothing of them, and
// is not simulated.
func TestFitLeavesLaterRequestsOut(t *testing.T) {
	requests := Synthetic(Lengths{Input: 100, Output: 50}, 500, 10, 1)
	log := logged(t, Server{Times{StepS: 0.01}, Settings{64, 2048, 1 << 30}}, requests, 0)
	f, err := newFitter(log, 20)
	if err != nil {
		t.Fatal(err)
	}
	n := len(f.requests)
	if n < 20 || n > 40 || f.requests[n-1].ArrivalS > log[19].LastS || log[n].ArrivalS <= log[19].LastS {
		t.Errorf("of 500 requests %d are simulated, the last from %.2f s; the last one that is fitted to ends at %.2f s", n,
			f.requests[n-1].ArrivalS, log[19].LastS)
	}
}

func TestFitNeedsTokens(t *testing.T) {
	log := make([]Observed, 20)
	for i := range log {
		log[i] = Observed{Request{float64(i), 10, 1}, math.NaN(), float64(i) + 1, float64(i) + 1}
	}
	if _, err := Fit(log, 20, Settings{}); err == nil {
		t.Error("step times are fitted to requests of one token")
	}
}

// Sequences at once are a limit only where others wait while so many run.
func TestSequencesSeen(t *testing.T) {
	requests := Synthetic(Lengths{Input: 100, Output: 200, Spread: 0.3}, 200, 50, 1)
	times := Times{0.01, 1e-5, 0, 1e-4, 1e-7, 0, 0, 0}
	for name, c := range map[string]struct {
		Settings
		want int
	}{
		"sequences": {Settings{16, 2048, 1 << 30}, 16},
		"cache":     {Settings{2048, 2048, 4000}, 0},
		"nothing":   {Settings{2048, 2048, 1 << 30}, 0},
	} {
		out, err := Simulate(requests, Server{times, c.Settings})
		if err != nil {
			t.Fatal(err)
		}
		if got := SequencesSeen(out.Observe(requests)); got != c.want {
			t.Errorf("%s: %d sequences at once, want %d", name, got, c.want)
		}
	}
}

// Intervals hold the value, are as wide as the fit is off at least, and what is
// unknown stays so.
func TestEstimate(t *testing.T) {
	f := &Fitted{Server: Server{Times: Times{StepS: 2}}, Off: 0.02}
	for _, step := range []float64{1.9, 2, 2.2} {
		f.Draws = append(f.Draws, Server{Times: Times{StepS: step}})
	}
	got, err := f.Estimate(func(s Server) ([]float64, error) { return []float64{s.StepS, math.NaN()}, nil })
	if err != nil {
		t.Fatal(err)
	}
	off := 1.645 * 0.02 * 2
	if e := got[0]; e.Value != 2 || math.Abs(e.Low-(2-math.Hypot(0.1, off))) > 1e-4 ||
		math.Abs(e.High-(2+math.Hypot(0.2, off))) > 1e-4 {
		t.Errorf("%+v", e)
	}
	if got[1].Known() {
		t.Errorf("%+v is known", got[1])
	}
}
