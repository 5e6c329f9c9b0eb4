package batching

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

// loadOf is what clients would report of requests at a rate on a server.
func loadOf(t *testing.T, s Server, l Lengths, perSecond float64) *profile.Serving {
	t.Helper()
	requests := Synthetic(l, 600, perSecond, 7)
	out, err := Simulate(requests, s)
	if err != nil {
		t.Fatal(err)
	}
	ttft, tpot, last, input, output := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, o := range out.Observe(requests) {
		ttft, tpot, last = ttft+o.TTFT(), tpot+o.TPOT(), max(last, o.LastS)
		input, output = input+float64(o.Input), output+float64(o.Output)
	}
	n := float64(len(requests))
	return &profile.Serving{PerSecond: &perSecond, Requests: len(requests), Input: input / n, Output: output / n,
		Generated: new(output / (last - requests[0].ArrivalS)), TTFT: &profile.Spread{Mean: new(ttft / n)},
		TPOT: &profile.Spread{Mean: new(tpot / n)}}
}

// predicts checks the mean latencies of a load on a fitted server against those of the server itself.
func predicts(t *testing.T, fitted, itself Server, l Lengths, perSecond float64) {
	t.Helper()
	got, want := loadOf(t, fitted, l, perSecond), loadOf(t, itself, l, perSecond)
	for what, x := range map[string][2]float64{
		"TPOT": {*got.TPOT.Mean, *want.TPOT.Mean}, "TTFT": {*got.TTFT.Mean, *want.TTFT.Mean},
	} {
		if off := math.Abs(x[0]/x[1] - 1); off > 0.1 {
			t.Errorf("%s is %.4g, and %.4g on the server itself", what, x[0], x[1])
		}
	}
}

// Fitted to the means of a few loads, step times predict the latencies of a load that was not
// among them as those of the server do.
func TestFitLoads(t *testing.T) {
	true1 := Server{Times{0.011, 7e-5, 0, 1.2e-4, 2e-8, 0.01, 0, 0}, Settings{256, 2048, Unlimited}}
	var loads []*profile.Serving
	for _, l := range []Lengths{{Input: 256, Output: 64}, {Input: 1024, Output: 128}} {
		for _, rate := range []float64{0.2, 2, 5} {
			loads = append(loads, loadOf(t, true1, l, rate))
		}
	}
	fit, err := FitLoads(loads, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if fit.Used != 6*600 || len(fit.Draws) == 0 || fit.CacheTokens != Unlimited || fit.MaxSequences != 256 ||
		fit.MaskedS != 0 {
		t.Errorf("%+v", fit)
	}
	predicts(t, fit.Server, true1, Lengths{Input: 600, Output: 100}, 4)
	loads[0].CacheTokens = new(50_000.0)
	if fit, err = FitLoads(loads, Settings{MaxSequences: 4000}); err != nil || fit.CacheTokens != 50_000 ||
		fit.TokenBudget != 4000 || fit.Check() != nil {
		t.Errorf("%+v, %v", fit, err)
	}
}

// Loads with about as many sequences at once do not show what more add to a step: the most load that they told
// was twenty times that of the server.
func TestFitLoadsOfOneConcurrency(t *testing.T) {
	itself := Server{Times{0.011, 7e-5, 0, 1.2e-4, 2e-8, 0.01, 0, 0}, Settings{256, 2048, Unlimited}}
	for _, rates := range [][]float64{{4, 4, 4, 4}, {0.2, 0.2, 0.2}, {4, 4.2, 4.4, 4.6}} {
		var loads []*profile.Serving
		for _, rate := range rates {
			loads = append(loads, loadOf(t, itself, Lengths{Input: 256, Output: 64}, rate))
		}
		if fit, err := FitLoads(loads, Settings{}); err == nil || !strings.Contains(err.Error(), "another concurrency") {
			t.Errorf("at %v requests/s: %+v, %v", rates, fit, err)
		}
	}
}

// Where attention is computed for all sequences together, loads show it, too.
func TestFitLoadsUnderAMask(t *testing.T) {
	masked := Server{Times{0.011, 7e-5, 0, 1.2e-4, 2e-8, 0.01, 0, 1e-7}, Settings{256, 2048, Unlimited}}
	var loads []*profile.Serving
	for _, l := range []Lengths{{Input: 64, Output: 64}, {Input: 256, Output: 64}, {Input: 128, Output: 256}} {
		for _, rate := range []float64{0.2, 1, 2, 3} {
			loads = append(loads, loadOf(t, masked, l, rate))
		}
	}
	fit, err := FitLoads(loads, Settings{})
	if err != nil || fit.MaskedS == 0 {
		t.Fatalf("%+v, %v", fit, err)
	}
	predicts(t, fit.Server, masked, Lengths{Input: 192, Output: 100}, 2)
}

// Means that are off by a per cent leave open what a prompt takes and what its request: both are in the
// draws, and with them the TPOT of a higher load.
func TestFitLoadsLeavesOpen(t *testing.T) {
	itself := Server{Times{0.011, 7e-5, 0, 1.2e-4, 2e-8, 0.01, 0, 0}, Settings{256, 2048, Unlimited}}
	short, long := Lengths{Input: 256, Output: 64}, Lengths{Input: 1024, Output: 128}
	want := *loadOf(t, itself, short, 9).TPOT.Mean
	inside := 0
	for seed := range uint64(12) {
		noise := rand.New(rand.NewPCG(seed, 1))
		var loads []*profile.Serving
		for _, rate := range []float64{0.5, 1, 2, 4, 6} {
			for _, load := range []*profile.Serving{loadOf(t, itself, short, rate), loadOf(t, itself, long, rate/4)} {
				for _, x := range []*float64{load.TPOT.Mean, load.TTFT.Mean, load.Generated} {
					*x *= 1 + 0.01*noise.NormFloat64()
				}
				loads = append(loads, load)
			}
		}
		fit, err := FitLoads(loads, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		low, high := math.Inf(1), 0.0
		for _, s := range fit.Draws {
			tpot := *loadOf(t, s, short, 9).TPOT.Mean
			low, high = min(low, tpot), max(high, tpot)
		}
		if low <= want && want <= high {
			inside++
		}
	}
	if inside < 10 {
		t.Errorf("the TPOT of a load half as high again is among the draws in %d of 12 fits", inside)
	}
}

func TestFitLoadsRefuses(t *testing.T) {
	one := &profile.Serving{Requests: 5, Input: 10, Output: 10, Generated: new(10.0), TPOT: &profile.Spread{P50: new(0.1)}}
	for _, loads := range [][]*profile.Serving{nil, {one, one}, {{Requests: 5, Input: 10, Output: 10}, one, one}} {
		if _, err := FitLoads(loads, Settings{}); err == nil {
			t.Errorf("%d loads are fitted to", len(loads))
		}
	}
}
