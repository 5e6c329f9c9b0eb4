package training

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// growing is a training of n epochs of 10 iterations, stopped after so many steady ones of a second.
func growing(n float64, measured int, sizes ...profile.Size) profile.Run {
	return profile.Run{
		Mode: profile.Train, Basis: estimate.Measured, Status: profile.Interrupted, Schedule: "a line of the script",
		Steady: estimate.Exact(1, estimate.Measured), SteadyN: measured, IterationsPerEpoch: new(10.0),
		Epochs: &n, BatchSize: 8, Sizes: sizes,
	}
}

// The total of a training whose sizes are known is that of its epochs, one by one, for any
// part of a step that grows with its work.
func TestATotalFollowsItsSizes(t *testing.T) {
	side := profile.Size{Of: profile.Side, Per: "epoch", From: []float64{0, 8}, Sizes: []float64{16, 32}}
	steps := profile.Size{Of: profile.Length, Per: "step", From: []float64{0, 60}, Sizes: []float64{16, 32}}
	batch := profile.Size{Of: profile.Batch, Per: "epoch", From: []float64{0, 6}, Sizes: []float64{8, 16}}
	samples := profile.Size{Of: profile.Samples, Per: "epoch", From: []float64{0, 3}, Sizes: []float64{100, 200}}
	down := profile.Size{Of: profile.Side, Per: "epoch", From: []float64{0, 6}, Sizes: []float64{32, 16}}
	for name, c := range map[string]struct {
		run               profile.Run
		low, likely, high float64 // seconds
	}{
		"images":                 {growing(12, 20, side), 120, 80 + 40*2.5, 80 + 160},
		"sequences":              {growing(12, 20, steps), 120, 60 + 60*1.5, 60 + 240},
		"batches":                {growing(12, 20, batch), 60 + 30, 60 + 30*1.5, 60 + 60},
		"samples":                {growing(12, 20, samples), 30 + 180, 30 + 180, 30 + 180},
		"images that shrink":     {growing(12, 20, down), 60 + 15, 60 + 60*0.625, 120},
		"a change that was seen": {growing(12, 120, side), 120, 120, 120},
		"both":                   {growing(12, 20, side, batch), 60 + 30, 60 + 10*1.5 + 20*(1+8)/2, 60 + 20 + 20*8},
	} {
		got := Training(c.run, 12, nil)
		even := Training(AsIfEven(c.run), 12, nil)
		off := even.HalfWidth() * c.likely
		if math.Abs(got.Value-c.likely) > 1 || got.Low > c.low+0.01*c.low || got.Low < c.low-3*off-1 ||
			got.High < c.high-0.01*c.high || got.High > c.high+3*off+1 {
			t.Errorf("%s: %+v, want %g (%g–%g)", name, got, c.likely, c.low, c.high)
		}
	}
	// Of another number of epochs a schedule may be another one.
	if other := Training(growing(12, 20, side), 24, nil); HasSizes(growing(12, 20, side), 24) || other.HalfWidth() < 0.5 {
		t.Errorf("twice as many epochs: %+v", other)
	}
}

// Whatever parts of a step grow with its work, the total of a walk through all iterations is
// inside the interval.
func TestSizedAgainstAWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, every := rapid.IntRange(1, 20).Draw(t, "epochs"), rapid.SampledFrom([]int{1, 10, 60}).Draw(t, "iterations")
		of := rapid.SampledFrom([]profile.SizeOf{profile.Side, profile.Length, profile.Samples}).Draw(t, "of")
		sizes := make([]float64, n)
		s := profile.Size{Of: of, Per: "epoch"}
		for k := range sizes {
			sizes[k] = float64(rapid.IntRange(1, 4).Draw(t, "size"))
			if k == 0 || sizes[k] != sizes[k-1] {
				s.From, s.Sizes = append(s.From, float64(k)), append(s.Sizes, sizes[k])
			}
		}
		part := rapid.Float64Range(0, 1)
		stays, least, most := part.Draw(t, "stays"), part.Draw(t, "least"), 0.1+part.Draw(t, "most")
		warmup := rapid.IntRange(0, 5).Draw(t, "warm-up")
		r := growing(float64(n), rapid.IntRange(1, 100).Draw(t, "measured"), s)
		r.IterationsPerEpoch, r.WarmupIterations = new(float64(every)), &warmup

		var times []float64
		for _, size := range sizes {
			iterations := every
			if of == profile.Samples {
				iterations = int(float64(every) * size / sizes[0])
				if float64(iterations) != float64(every)*size/sizes[0] {
					t.Skip("parts of an iteration")
				}
			}
			for range iterations {
				ratio := size / sizes[0]
				times = append(times, stays+least*math.Pow(ratio, growth[of][0])+most*math.Pow(ratio, growth[of][1]))
			}
		}
		if warmup >= len(times) {
			t.Skip("nothing was measured")
		}
		seen := times[warmup:min(len(times), warmup+r.SteadyN)]
		want := sum(times) / (sum(seen) / float64(len(seen)))
		low, likely, high := sized(r, stretchesOf(r, float64(n)))
		if want < low*(1-1e-6) || want > high*(1+1e-6) || likely < low || likely > high {
			t.Errorf("%g is outside %g (%g–%g)", want, likely, low, high)
		}
	})
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func TestWordsOfSizes(t *testing.T) {
	r := growing(12, 20, profile.Size{Of: profile.Side, Per: "epoch", From: []float64{0, 8}, Sizes: []float64{16, 32}})
	const want = "images grow from 16 to 32 after 8 epochs: later steps are assumed to take 1–4 × as long"
	if got := ScheduleWords(r, 12); got != want {
		t.Errorf("%q", got)
	}
	if got := ScheduleWords(r, 13); got != r.Schedule {
		t.Errorf("of another length %q", got)
	}
	r.Sizes = []profile.Size{{Of: profile.Samples, Per: "epoch", From: []float64{0, 1, 2}, Sizes: []float64{10, 20, 30}}}
	const grow = "the samples of an epoch grow from 10 to 30 from epoch to epoch"
	if got := ScheduleWords(r, 12); !strings.HasPrefix(got, grow) ||
		!strings.HasSuffix(got, "as long as before") {
		t.Errorf("%q", got)
	}
}
