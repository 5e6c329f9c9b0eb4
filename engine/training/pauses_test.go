package training

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// saver is a training that is watched for some of its iterations.
type saver struct {
	perEpoch, watched int
	saves             func(iteration, epoch int, endsEpoch bool) bool // after that many, from 1
	saveS, validateS  float64
}

const startS, firstS, stepS = 3.0, 1.0, 0.1

// run is what a probe keeps of it. A save comes before the validation.
func (s saver) run() profile.Run {
	r := profile.Run{
		Mode: profile.Train, Basis: estimate.Measured, IterationsPerEpoch: new(float64(s.perEpoch)), InitS: new(startS),
		FirstIterationS: new(firstS),
		Steady:          estimate.Around(stepS, stepS/100, estimate.Measured), SteadyN: s.watched - 5,
		WarmupIterations: new(4),
	}
	t := startS
	for i := 1; i <= s.watched; i++ {
		if (i-1)%s.perEpoch == 0 {
			r.EpochStartsS = append(r.EpochStartsS, t)
		}
		t += stepS
		if i == 1 {
			t += firstS - stepS
		}
		epoch, ends := (i-1)/s.perEpoch, i%s.perEpoch == 0
		if s.saves(i, epoch, ends) {
			t += s.saveS
			r.Pauses = append(r.Pauses, profile.Pause{AtS: t, Seconds: s.saveS, Kind: "checkpoint", Iterations: new(i)})
		}
		if ends && s.validateS > 0 {
			t += s.validateS
			r.Validations = append(r.Validations, profile.Validation{Epoch: epoch, Seconds: s.validateS, AtS: new(t)})
		}
	}
	if s.validateS > 0 {
		r.FirstValidationS, r.ValidationS = new(s.validateS), new(s.validateS)
	}
	return r
}

// count is how many it writes in so many epochs.
func (s saver) count(epochs int) float64 {
	s.watched = epochs * s.perEpoch
	return float64(len(s.run().Pauses))
}

func everyEpochs(k int) func(int, int, bool) bool {
	return func(_, epoch int, ends bool) bool { return ends && (epoch+1)%k == 0 }
}

func everyIterations(k int) func(int, int, bool) bool {
	return func(i, _ int, _ bool) bool { return i%k == 0 }
}

func TestPausesComeAsTheyDid(t *testing.T) {
	best := func(i, epoch int, ends bool) bool { return ends && slices.Contains([]int{0, 1, 4}, epoch) }
	fromZero := func(_, epoch int, ends bool) bool { return ends && epoch%3 == 0 }
	for name, c := range map[string]struct {
		saver
		epochs           float64
		count, low, high float64
		words            string
	}{
		"every epoch": {saver{perEpoch: 100, watched: 350, saves: everyEpochs(1)}, 10, 10, 10, 11,
			"with 10 checkpoints of 1.40 s"},
		"every second epoch": {saver{perEpoch: 100, watched: 700, saves: everyEpochs(2)}, 9, 4, 4, 5,
			"with 4 checkpoints of 1.40 s"},
		"every third epoch, from the 1st": {saver{perEpoch: 100, watched: 750, saves: fromZero}, 10, 4, 4, 5,
			"with 4 checkpoints of 1.40 s"},
		"the first gap only": {saver{perEpoch: 100, watched: 450, saves: fromZero}, 10, 4, 3, 6,
			"with about 4 checkpoints of 1.40 s, by the 2 seen"},
		"every 40 iterations": {saver{perEpoch: 100, watched: 130, saves: everyIterations(40)}, 2, 5, 5, 6,
			"with 5 checkpoints of 1.40 s"},
		"seen once": {saver{perEpoch: 100, watched: 150, saves: everyEpochs(1)}, 10, 10, 1, 20,
			"with about 10 checkpoints of 1.40 s, by the 1 seen"},
		"seen once, and long not again": {saver{perEpoch: 100, watched: 460,
			saves: func(i, _ int, _ bool) bool { return i == 100 }}, 9, 3, 1, 6,
			"with about 3 checkpoints of 1.40 s, by the 1 seen"},
		"seen once in an epoch": {saver{perEpoch: 100, watched: 60,
			saves: func(i, _ int, _ bool) bool { return i == 50 }}, 2, 4, 1, 8,
			"with about 4 checkpoints of 1.40 s, by the 1 seen"},
		"fewer epochs than were watched": {saver{perEpoch: 100, watched: 700, saves: everyEpochs(2)}, 4, 2, 2, 3,
			"with 2 checkpoints of 1.40 s"},
		"an epoch without": {saver{perEpoch: 100, watched: 700, saves: everyEpochs(2)}, 1, 0, 0, 1,
			"with 0 checkpoints of 1.40 s"},
		"the best ones": {saver{perEpoch: 100, watched: 701, saves: best}, 7, 3, 3, 4,
			"with 3 checkpoints of 1.40 s"},
		// What would follow the last step of a probe is unknown.
		"seen once, stopped before the second": {saver{perEpoch: 100, watched: 200,
			saves: func(i, _ int, ends bool) bool { return ends && i < 200 }}, 6, 6, 1, 12,
			"with about 6 checkpoints of 1.40 s, by the 1 seen"},
		"seen once within an epoch, stopped before the second": {saver{perEpoch: 100, watched: 80,
			saves: func(i, _ int, _ bool) bool { return i == 40 }}, 2, 5, 1, 10,
			"with about 5 checkpoints of 1.40 s, by the 1 seen"},
	} {
		c.saveS = 1.4
		p := PausesOf(c.run())
		count, low, high := p.kinds[0].count(c.epochs, p.perEpoch)
		if math.Abs(count-c.count) > 0.01 || math.Abs(low-c.low) > 0.01 || math.Abs(high-c.high) > 0.01 {
			t.Errorf("%s: %g, from %g to %g, want %g, from %g to %g", name, count, low, high, c.count, c.low, c.high)
		}
		if got := p.Words(c.epochs); got != c.words {
			t.Errorf("%s: %q", name, got)
		}
		sum := p.Over(c.epochs)
		if math.Abs(sum.Value-1.4*c.count) > 0.01 || !(sum.Low <= sum.Value && sum.Value < sum.High) {
			t.Errorf("%s: %+v", name, sum)
		}
	}
	// What comes as it pleases is a rate, and an unsure one.
	s := saver{perEpoch: 100, watched: 701, saves: best, saveS: 1.4}
	p := PausesOf(s.run())
	if sum := p.Over(14); math.Abs(sum.Value/1.4-6) > 0.1 || sum.Low > 1.4*4 || sum.High < 1.4*8 {
		t.Errorf("of three in seven epochs, fourteen have %+v", sum)
	}
}

// Of two files each time, as the latest and the best, both are checkpoints.
func TestTwoCheckpointsAtATime(t *testing.T) {
	r := saver{perEpoch: 100, watched: 350, saves: everyEpochs(1), saveS: 1.4}.run()
	for _, x := range slices.Clone(r.Pauses) {
		x.Seconds = 0.6
		r.Pauses = append(r.Pauses, x)
	}
	p := PausesOf(r)
	if got := p.Over(10).Value; math.Abs(got-20) > 0.01 {
		t.Errorf("ten epochs save for %g s", got)
	}
	if got := p.Words(10); got != "with 20 checkpoints of 1.00 s" {
		t.Error(got)
	}
	r.Pauses = r.Pauses[:len(r.Pauses)-1]
	if got := PausesOf(r).Words(10); got != "with 10 checkpoints of 1.80 s" {
		t.Error(got)
	}
	if got := PausesOf(r).Words(3); got != "with 5 checkpoints of 1.08 s" { // no other is to come
		t.Error(got)
	}
}

// What was compiled for the shapes of the steps is not compiled again.
func TestCompilationsDoNotRecur(t *testing.T) {
	r := saver{perEpoch: 10, watched: 25, saves: func(int, int, bool) bool { return false }}.run()
	r.Pauses = []profile.Pause{
		{AtS: 5, Seconds: 2, Kind: "compilation", Iterations: new(1)},
		{AtS: 9, Seconds: 1, Kind: "compilation", Iterations: new(9)},
	}
	p := PausesOf(r)
	if got := p.Over(1000).Value; got != 3 {
		t.Errorf("a thousand epochs compile for %g s", got)
	}
	if got := p.Words(1000); got != "with 2 compilations of 1.50 s" {
		t.Error(got)
	}
}

// Where the best network alone is written, as many checkpoints as before may follow, or none.
func TestBestCheckpointsNeedNotRecur(t *testing.T) {
	r := saver{perEpoch: 100, watched: 450, saves: everyEpochs(1), saveS: 1.4}.run()
	for i := range r.Pauses {
		r.Pauses[i].Kind = "best checkpoint"
	}
	p := PausesOf(r)
	if got := p.Words(12); got != "with 4 to 12 best checkpoints of 1.40 s" {
		t.Error(got)
	}
	if e := p.Over(12); e.Value != 8*1.4 || e.Low > 4*1.4 || e.High < 12*1.4 {
		t.Errorf("%g s, from %g to %g", e.Value, e.Low, e.High)
	}
	if got := p.Words(4); got != "with 4 best checkpoints of 1.40 s" {
		t.Error(got)
	}
}

func TestPausesThatWereNotSeen(t *testing.T) {
	never := func(int, int, bool) bool { return false }
	for watched, want := range map[int]string{60: "not one epoch", 150: "in the first epoch",
		320: "in the first 3 epochs"} {
		r := saver{perEpoch: 100, watched: watched, saves: never}.run()
		p := PausesOf(r)
		if p.Seen() || p.Over(9).Known() || !strings.Contains(p.Words(9), want) {
			t.Errorf("%d iterations: %q, %+v", watched, p.Words(9), p.Over(9))
		}
	}
	counted := saver{perEpoch: 100, watched: 320, saves: never}.run()
	counted.Steps = new(1000.0) // its script knows no epochs
	if words := PausesOf(counted).Words(9); words != "without checkpoints: none was seen in the first 320 steps" {
		t.Errorf("of a script that counts steps: %q", words)
	}
	r := profile.Run{Mode: profile.Train, Basis: estimate.Published, IterationsPerEpoch: new(10.0),
		Steady: estimate.Exact(1, estimate.Published), SteadyN: 50}
	if words := PausesOf(r).Words(3); words != "" {
		t.Errorf("of a published run: %q", words)
	}
}

func TestTrainingHoldsItsPauses(t *testing.T) {
	r := saver{perEpoch: 100, watched: 350, saves: everyEpochs(1), saveS: 1.4, validateS: 2}.run()
	bare := r
	bare.Pauses = nil
	with, without := Training(r, 5, nil), Training(bare, 5, nil)
	if math.Abs(with.Value-without.Value-5*1.4) > 1e-9 || with.High-with.Value <= without.High-without.Value ||
		with.Low <= without.Low {
		t.Errorf("with checkpoints %+v, without %+v", with, without)
	}
	// Two files at one place are one checkpoint; another kind is another term.
	r.Pauses = append(r.Pauses, profile.Pause{AtS: r.Pauses[0].AtS + 0.1, Seconds: 0.6, Kind: "checkpoint",
		Iterations: new(100)},
		profile.Pause{AtS: 9, Seconds: 0.5, Kind: "log upload", Iterations: new(50)})
	if words := PausesOf(r).Words(5); words != "with 5 checkpoints of 1.60 s and about 2 log uploads of 500 ms, by "+
		"the 1 seen" {
		t.Errorf("words %q", words)
	}
	// A checkpoint before the first iteration is a part of the initialisation.
	bare.Pauses = []profile.Pause{{AtS: startS - 0.1, Seconds: 1, Iterations: new(0)}}
	if PausesOf(bare).Seen() {
		t.Error("what the initialisation holds is counted again")
	}
	kinds := map[estimate.Basis]profile.Kind{estimate.Measured: {Rel: 0.1}}
	r.Steady = estimate.Exact(stepS, estimate.Measured)
	if e := Training(r, 5, kinds); e.Value < with.Value || e.HalfWidth() < 0.08 {
		t.Errorf("a lone number: %+v", e)
	}
}

// A line over epochs has no steps, but goes where the estimate goes.
func TestTrainingLineFollowsTheEstimate(t *testing.T) {
	for name, r := range map[string]profile.Run{
		"every third epoch": saver{perEpoch: 100, watched: 950, saves: everyEpochs(3), saveS: 7, validateS: 2}.run(),
		"every 70":          saver{perEpoch: 100, watched: 950, saves: everyIterations(70), saveS: 7}.run(),
		"none":              saver{perEpoch: 100, watched: 350, saves: everyEpochs(9)}.run(),
	} {
		line, ok := StraightLine(r, nil)
		for n := 1.0; n <= 60; n++ {
			if got, want := line.At(n), Training(r, n, nil).Value; !ok || math.Abs(got-want) > 7.1 {
				t.Errorf("%s: the line is at %g after %g epochs, the estimate at %g", name, got, n, want)
			}
		}
	}
	if _, ok := StraightLine(profile.Run{Mode: profile.Train}, nil); ok {
		t.Error("a line of nothing")
	}
}

// Whatever the rhythm: the true number is within the interval, the number is
// right once two gaps were seen, and the times tell what the count tells.
func TestPausesAreThoseOfTheScript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := saver{
			perEpoch: rapid.IntRange(40, 200).Draw(t, "per epoch"), saveS: rapid.Float64Range(0.01, 30).Draw(t, "save"),
			validateS: rapid.SampledFrom([]float64{0, 0.5, 20}).Draw(t, "validation"),
		}
		gap := rapid.IntRange(1, 4).Draw(t, "every")
		s.saves = everyEpochs(gap)
		if rapid.Bool().Draw(t, "by iterations") {
			gap = rapid.IntRange(25, 300).Draw(t, "iterations")
			s.saves = everyIterations(gap)
		}
		s.watched = rapid.IntRange(6, 10*s.perEpoch).Draw(t, "watched")
		r, n := s.run(), rapid.IntRange(1, 30).Draw(t, "epochs")
		p := PausesOf(r)
		if p.Seen() != (len(r.Pauses) > 0) {
			t.Fatalf("%d pauses, seen %v", len(r.Pauses), p.Seen())
		}
		if !p.Seen() {
			return
		}
		want := s.count(n)
		count, low, high := p.kinds[0].count(float64(n), p.perEpoch)
		if want < low || want > high || (len(r.Pauses) > 2 && count != want) {
			t.Fatalf("%g are foretold, from %g to %g, and %g come, of %d seen", count, low, high, want, len(r.Pauses))
		}
		for i := range r.Pauses {
			r.Pauses[i].Iterations = nil
		}
		for _, starts := range [][]float64{r.EpochStartsS, nil} {
			r.EpochStartsS = starts
			byTime, low, high := PausesOf(r).kinds[0].count(float64(n), p.perEpoch)
			if want < low-1 || want > high+1 || (len(r.Pauses) > 2 && math.Abs(byTime-want) > 1+0.1*want) {
				t.Fatalf("by their times %g are foretold, from %g to %g, and %g come, of %d seen", byTime, low, high, want,
					len(r.Pauses))
			}
		}
	})
}

// Epochs hold the pauses in them: a total told from epochs counts none again.
func TestTotalsCountNoPauseTwice(t *testing.T) {
	runs := make([]profile.Run, 6)
	for i := range runs {
		s := saver{perEpoch: 50 + i, watched: 10 * (50 + i), saves: everyEpochs(1), saveS: 4}
		r := s.run()
		r.Model, r.Status = "net", profile.Done
		last := r.Pauses[len(r.Pauses)-1].AtS
		r.TotalS, r.Epochs = &last, new(10.0)
		runs[i] = r
	}
	got := NewTotals(runs[1:]).Predict(runs[0], 3, 10).Total
	if math.Abs(got.Value / *runs[0].TotalS - 1) > 0.02 {
		t.Errorf("predicted %+v, took %g s", got, *runs[0].TotalS)
	}
	bare := slices.Clone(runs)
	for i := range bare {
		bare[i].Pauses = nil
	}
	if again := NewTotals(bare[1:]).Predict(bare[0], 3, 10).Total; again != got {
		t.Errorf("without the pauses %+v, with them %+v", again, got)
	}
}
