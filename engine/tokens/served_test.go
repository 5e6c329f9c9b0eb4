package tokens

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// served is a run of a load with so much a token and request.
func served(model, gpu string, l Load, tpot, latency float64) profile.Run {
	return profile.Run{Model: model, GPU: gpu, GPUCount: 1, Serving: &profile.Serving{
		Concurrency: &l.AtOnce, Requests: 10 * int(l.AtOnce), Input: l.Input, Output: l.Output,
		Generated: new(l.AtOnce * l.Output / latency), TPOT: &profile.Spread{Mean: &tpot}}}
}

func setOf(runs ...profile.Run) *profile.Set {
	for i := range runs {
		runs[i].ID = int64(i + 1)
	}
	return &profile.Set{Runs: runs}
}

func on(gpu string) profile.Server { return profile.Server{Model: "m", GPU: gpu, GPUs: 1} }

// Between two loads answers are exact where times have a fixed part and one in proportion, beyond
// them unknown, and at them as measured.
func TestServedBetweenLoads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(1e-3, 1).Draw(t, "a"), rapid.Float64Range(1e-4, 0.1).Draw(t, "b")
		low := float64(rapid.IntRange(1, 20).Draw(t, "low"))
		high := low + float64(rapid.IntRange(2, 200).Draw(t, "more"))
		at := low + 1 + math.Floor(rapid.Float64Range(0, 0.999).Draw(t, "at")*(high-low-1))
		law := func(n float64) float64 { return a + b*n }
		load := func(n float64) Load { return Load{n, 1000, 100} }
		s := NewServed(setOf(served("m", "L4", load(low), law(low), 101*law(low)),
			served("m", "L4", load(high), law(high), 101*law(high))))
		for _, got := range []Answer{s.TPOT(on("L4"), load(at)), s.Latency(on("L4"), load(at)).per(101)} {
			near(t, "between two loads", got.Value, law(at))
			if got.Basis != estimate.OtherBatch || !(got.Low < got.Value && got.Value < got.High) || len(got.Runs) != 2 {
				t.Errorf("%+v", got)
			}
		}
		if got := s.TPOT(on("L4"), load(high)); got.Value != law(high) || got.Basis != estimate.Measured {
			t.Errorf("at a load: %+v", got)
		}
		for _, n := range []float64{low - 0.5, high + 1} {
			if got := s.TPOT(on("L4"), load(n)); got.Known() || got.Why == "" {
				t.Errorf("beyond the loads: %+v", got)
			}
		}
		if got := s.TPOT(on("L4"), Load{at, 2000, 100}); got.Known() {
			t.Errorf("of another length: %+v", got)
		}
	})
}

// per divides an answer.
func (a Answer) per(n float64) Answer {
	a.Estimate = a.Times(1 / n)
	return a
}

// Between two lengths a latency is exact that has a part in proportion and one to the square. A TPOT
// is no such time.
func TestServedBetweenLengths(t *testing.T) {
	law := func(tokens float64) float64 { return 0.01*tokens + 1e-6*tokens*tokens }
	var runs []profile.Run
	for _, tokens := range []float64{256, 2048} {
		runs = append(runs, served("m", "L4", Load{8, tokens / 2, tokens / 2}, 0.01, law(tokens)))
	}
	s := NewServed(setOf(runs...))
	got := s.Latency(on("L4"), Load{8, 512, 512})
	if math.Abs(got.Value/law(1024)-1) > 1e-9 || got.Basis != estimate.OtherBatch || !strings.Contains(got.Why, "tokens") {
		t.Errorf("%+v, want %g", got, law(1024))
	}
	if got := s.Latency(on("L4"), Load{8, 900, 124}); got.Known() {
		t.Errorf("of other shares of prompt and answer: %+v", got)
	}
	if got := s.TPOT(on("L4"), Load{8, 512, 512}); got.Known() {
		t.Errorf("TPOT: %+v", got)
	}
}

// From one load on another GPU, times are as many times as long as there.
func TestServedOnAnotherGPU(t *testing.T) {
	law := func(n float64) float64 { return 0.01 + 0.001*n }
	load := func(n float64) Load { return Load{n, 1000, 100} }
	var runs []profile.Run
	for _, n := range []float64{1, 8, 64} {
		runs = append(runs, served("m", "L4", load(n), law(n), 100*law(n)))
	}
	runs = append(runs, served("m", "H100", load(8), law(8)/3, 100*law(8)/3), served("other", "A10G", load(8), 1, 100))
	s := NewServed(setOf(runs...))
	got := s.TPOT(on("H100"), load(64))
	if math.Abs(got.Value/law(64)*3-1) > 1e-9 || got.Basis != estimate.Transferred || !strings.Contains(got.Why, "L4") ||
		!slices.Equal(got.Runs, []int64{4, 3}) {
		t.Errorf("%+v, want %g", got, law(64)/3)
	}
	between := s.TPOT(on("H100"), load(32))
	if !between.Known() || between.LogSigma() <= got.LogSigma() {
		t.Errorf("where the other is predicted itself: %+v, no wider than %+v", between, got)
	}
	for _, server := range []profile.Server{on("A10G"), {Model: "m", GPU: "H100", GPUs: 2}} {
		if got := s.TPOT(server, load(64)); got.Known() {
			t.Errorf("%s, of which the model has no load: %+v", server.Words(), got)
		}
	}
}

// What lines are off by on other servers corrects and narrows the answer for one more, and most
// answers lie in their intervals.
func TestServedLearns(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	law := func(n float64) float64 { return 0.01 * math.Pow(1+n/16, 0.6) * math.Exp(0.01*draw.NormFloat64()) }
	var runs []profile.Run
	gpus := strings.Split("abcdefghijklmnop", "")
	for _, gpu := range gpus {
		k := math.Exp(draw.NormFloat64())
		for _, n := range []float64{1, 4, 16, 64, 256} {
			runs = append(runs, served("m"+gpu, gpu, Load{n, 1000, 100}, k*law(n), 100*k*law(n)))
		}
	}
	alone := NewServed(setOf(served("m", "L4", Load{1, 1000, 100}, law(1), 1),
		served("m", "L4", Load{256, 1000, 100}, law(256), 1)))
	s := NewServed(setOf(append(runs, alone.tpot.runs()...)...))
	inside := 0
	for _, n := range []float64{4, 16, 64} {
		plain, got := alone.TPOT(on("L4"), Load{n, 1000, 100}), s.TPOT(on("L4"), Load{n, 1000, 100})
		truth := 0.01 * math.Pow(1+n/16, 0.6)
		if !(math.Abs(got.Value/truth-1) < math.Abs(plain.Value/truth-1)/2) || got.LogSigma() > plain.LogSigma()/2 {
			t.Errorf("%g at once: %v, by the line alone %v, really %g", n, got.Estimate, plain.Estimate, truth)
		}
		if got.Low <= truth && truth <= got.High {
			inside++
		}
	}
	if inside < 2 {
		t.Errorf("%d of 3 inside", inside)
	}
}

// runs are those that a measure of TPOT was made of.
func (m *measure) runs() (out []profile.Run) {
	for _, c := range m.byNumber {
		for _, s := range c.samples {
			out = append(out, served(s.server.Model, s.server.GPU, s.load, s.Seconds, 1))
		}
	}
	return out
}

// A load with fewer requests than clients never had as many at once, and repeats count as one.
func TestServedLoads(t *testing.T) {
	few := served("m", "L4", Load{8, 1000, 100}, 9, 900)
	few.Serving.Requests = 4
	s := NewServed(setOf(few, served("m", "L4", Load{4, 1000, 100}, 1, 100), served("m", "L4", Load{4, 1010, 99}, 2, 100),
		served("m", "L4", Load{4, 1000, 100}, 4, 100)))
	if got := s.TPOT(on("L4"), Load{8, 1000, 100}); got.Known() {
		t.Errorf("%+v", got)
	}
	if got := s.TPOT(on("L4"), Load{4, 1000, 100}); got.Value != 2 || len(got.Runs) != 3 {
		t.Errorf("%+v", got)
	}
}
