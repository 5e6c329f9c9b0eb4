package training

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// systems are complete runs of a model on so many systems, each a little
// slower than the one before.
func systems(n int, of func(speed float64) script) []profile.Run {
	var runs []profile.Run
	for i := range n {
		s := of(1 + float64(i)/20)
		s.model, s.system = "net", fmt.Sprint("system ", i)
		runs = append(runs, s.run())
	}
	return runs
}

func off(got estimate.Estimate, want float64) float64 { return math.Abs(got.Value/want - 1) }

func TestEqualEpochsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Float64Range(0.1, 1e4)
		s := script{
			model: "net", system: "mine", startup: seconds.Draw(t, "start-up"), epoch: each(seconds.Draw(t, "epoch")),
			epochs: rapid.IntRange(3, 60).Draw(t, "epochs"),
		}
		r := s.run()
		var others []profile.Run
		if rapid.Bool().Draw(t, "others") {
			others = systems(rapid.IntRange(1, 5).Draw(t, "systems"), func(speed float64) script {
				return script{startup: 3, epoch: each(100 * speed), epochs: 12}
			})
		}
		totals := NewTotals(others)
		before := math.Inf(1)
		for known := 1; known < s.epochs; known++ {
			got := totals.Predict(r, known, float64(s.epochs))
			if off(got.Total, *r.TotalS) > 1e-9 || got.Uneven {
				t.Fatalf("from %d epochs %+v, took %g", known, got, *r.TotalS)
			}
			half := got.Total.HalfWidth()
			if !(half > 0) || half > before+1e-12 {
				t.Fatalf("half-width %g from %d epochs, %g from one less", half, known, before)
			}
			before = half
		}
	})
}

// Histories of the same shape that weigh differently come in the order of their
// runs, so that a prediction is the same whenever it is made.
func TestForecastsAreRepeatable(t *testing.T) {
	var runs []profile.Run
	for i := range 40 {
		s := script{model: "net", system: fmt.Sprint("system ", i), startup: 3, epoch: each(100), epochs: 6 + i}
		if i%4 == 0 {
			s.end = float64(i + 1)
		}
		runs = append(runs, s.run())
	}
	before := NewTotals(runs, 2)
	for range 20 {
		now := NewTotals(runs, 2)
		for epochs := 4.0; epochs < 60; epochs++ {
			if got, want := now.Predict(runs[7], 2, epochs), before.Predict(runs[7], 2, epochs); got != want {
				t.Fatalf("%v now, %v before", got.Total, want.Total)
			}
		}
	}
}

// Every system evaluates after each fourth epoch and works on at the end for
// three tenths of an epoch. Two epochs of a new one show neither.
func TestOtherSystemsTellWhatIsToCome(t *testing.T) {
	like := func(speed float64) script {
		return script{startup: 5, firstExtra: 20 * speed, epoch: each(100 * speed), epochs: 16, every: 4,
			evaluation: 8 * speed, end: 30 * speed}
	}
	s := like(1.23)
	s.model, s.system = "net", "new"
	r := s.run()
	plain := Method1(Epochs{r.EpochStartsS[0], r.EpochStartsS[1] - r.EpochStartsS[0],
		r.EpochStartsS[2] - r.EpochStartsS[1]}, 16)
	if e := math.Abs(plain/(*r.TotalS) - 1); e < 0.03 {
		t.Fatalf("the baseline is off by %.4f only: nothing to learn", e)
	}
	alone := NewTotals(nil).Predict(r, 2, 16).Total
	last := off(alone, *r.TotalS)
	for _, n := range []int{1, 3, 10} {
		got := NewTotals(systems(n, like)).Predict(r, 2, 16).Total
		if off(got, *r.TotalS) >= last {
			t.Errorf("%d systems: off by %.4f, with fewer %.4f", n, off(got, *r.TotalS), last)
		}
		last = off(got, *r.TotalS)
		if got.Low > *r.TotalS || got.High < *r.TotalS {
			t.Errorf("%d systems: %v misses %g", n, got, *r.TotalS)
		}
	}
	if last > 0.003 {
		t.Errorf("ten systems alike: off by %.4f", last)
	}
}

// The interval comes from predictions that did not know the series: one that
// ends with much work warns of it, and doesn't vouch for itself.
func TestAnIntervalIsNotCalibratedByItsOwnSeries(t *testing.T) {
	long := script{epoch: each(100), epochs: 10, end: 400}
	even := script{epoch: each(100), epochs: 10}
	width := func(of script) float64 {
		runs := systems(1, func(float64) script { return of })
		for range 4 {
			runs = append(runs, runs[0]) // repeats
		}
		r := of.run()
		r.Model, r.InstanceType = "net", "new"
		return NewTotals(runs).Predict(r, 2, 10).Total.HalfWidth()
	}
	if calm, warned := width(even), width(long); warned < 0.2 || calm > 0.05 {
		t.Errorf("half-width %.3f beside a series with 40 %% more at its end, %.3f beside an even one", warned, calm)
	}
}

// Other models vouch for a run only as far as its own model says nothing.
func TestManyOtherModelsDoNotOutweighTheOwn(t *testing.T) {
	var runs []profile.Run
	for i := range 4 {
		runs = append(runs, script{model: "net", system: fmt.Sprint("mine ", i), epoch: each(100), epochs: 10,
			end: []float64{0, 600}[i%2]}.run())
	}
	for i := range 200 {
		runs = append(runs, script{model: "calm", system: fmt.Sprint("calm ", i), epoch: each(100), epochs: 10}.run())
	}
	r := script{model: "net", system: "new", epoch: each(100), epochs: 10}.run()
	if half := NewTotals(runs).Predict(r, 2, 10).Total.HalfWidth(); half < 0.1 {
		t.Errorf("half-width %.3f although the model's own runs end 60 %% apart", half)
	}
}

func TestAnotherVariantSaysLess(t *testing.T) {
	var runs []profile.Run
	for i := range 5 {
		runs = append(runs, script{model: "net", variant: "same", system: fmt.Sprint(i), epoch: each(100), epochs: 10,
			end: 20}.run())
		runs = append(runs, script{model: "net", variant: "other", system: fmt.Sprint(i), epoch: each(100), epochs: 10,
			end: 200}.run())
	}
	r := script{model: "net", variant: "same", system: "new", epoch: each(100), epochs: 10, end: 20}.run()
	if got := NewTotals(runs).Predict(r, 2, 10).Total; off(got, *r.TotalS) > 0.015 {
		t.Errorf("%v, took %g", got, *r.TotalS)
	}
}

// What little is known, or scatters, is unsure.
func TestIntervalsOfLittleKnowledge(t *testing.T) {
	r := script{model: "net", system: "new", epoch: each(100), epochs: 30}.run()
	if got := NewTotals(nil).Predict(r, 1, 30).Total.HalfWidth(); got < 0.3 {
		t.Errorf("one epoch, start-up in it: half-width %.3f", got)
	}
	calm := NewTotals(systems(20, func(speed float64) script { return script{epoch: each(100 * speed), epochs: 30} }))
	noisy := script{model: "net", system: "new", epoch: func(i int) float64 { return 100 + []float64{0, 4, -4}[i%3] },
		epochs: 30}.run()
	a, b := calm.Predict(r, 4, 30).Total.HalfWidth(), calm.Predict(noisy, 4, 30).Total.HalfWidth()
	if b < 3*a || b < 0.02 {
		t.Errorf("half-width %.4f, of epochs that scatter by 4 %% %.4f", a, b)
	}
}

func TestUnevenEpochsAreFlagged(t *testing.T) {
	growing := func(i int) float64 { return 100 * (1 + 0.1*float64(i)) }
	r := script{model: "net", system: "new", epoch: growing, epochs: 12}.run()
	got := NewTotals(nil).Predict(r, 4, 12)
	if !got.Uneven || got.Words == "" || got.Total.HalfWidth() < 0.1 {
		t.Errorf("four growing epochs: %+v", got)
	}
	// From two epochs nobody can tell, unless others of the model grew too.
	like := func(speed float64) script {
		return script{epoch: func(i int) float64 { return speed * growing(i) }, epochs: 20}
	}
	got = NewTotals(systems(8, like)).Predict(r, 2, 12)
	if !got.Uneven || off(got.Total, *r.TotalS) > 0.03 {
		t.Errorf("growing as others did: %+v, took %g", got, *r.TotalS)
	}
	if longer := NewTotals(systems(8, like)).Predict(r, 2, 30); longer.Total.Value <= 2*got.Total.Value {
		t.Errorf("30 epochs take %g s, 12 take %g", longer.Total.Value, got.Total.Value)
	}
}

// A first epoch many times as long as the second leaves open which of them is
// the rule, unless complete runs began like that.
func TestContradictingEpochsAreFlagged(t *testing.T) {
	s := script{model: "net", system: "new", firstExtra: 300, epoch: each(100), epochs: 10}
	r := s.run()
	got := NewTotals(nil).Predict(r, 2, 10)
	if !got.Uneven || got.Total.High < 3700 {
		t.Errorf("400 s, then 100 s: %+v", got)
	}
	s.system = "other"
	if got := NewTotals([]profile.Run{s.run()}).Predict(r, 2, 10); got.Uneven {
		t.Errorf("another system began alike: %+v", got)
	}
	short := script{model: "net", system: "other", firstExtra: 3, epoch: each(1), epochs: 10}.run()
	if got := NewTotals([]profile.Run{short}).Predict(r, 2, 10); !got.Uneven {
		t.Errorf("start-up of 3 s was taken to explain 300 s: %+v", got)
	}
	slower := script{model: "net", system: "new", epoch: func(i int) float64 { return []float64{50, 100}[min(i, 1)] },
		epochs: 10}.run()
	if got := NewTotals(nil).Predict(slower, 2, 10); !got.Uneven || got.Total.Low > 600 {
		t.Errorf("50 s, then 100 s: %+v", got)
	}
}

// Evaluations that run beside the training end a run when later epochs have
// begun. Runs that evaluate alike tell by how much.
func TestEvaluationsBesideTheTraining(t *testing.T) {
	like := func(system string, speed float64) profile.Run {
		r := script{model: "net", system: system, epoch: each(100 * speed), epochs: 9}.run()
		for i := range 7 {
			r.Validations = append(r.Validations, profile.Validation{AtS: new(100 * speed * (float64(i) + 1.4))})
		}
		r.TotalS = new(100 * speed * 8.4)
		return r
	}
	var runs []profile.Run
	for i := range 6 {
		runs = append(runs, like(fmt.Sprint("alike ", i), 1+float64(i)/10))
		runs = append(runs, script{model: "net", system: fmt.Sprint("other ", i), epoch: each(100), epochs: 9}.run())
	}
	r := like("new", 1.15)
	if got := NewTotals(runs).Predict(r, 2, 9).Total; off(got, *r.TotalS) > 0.03 {
		t.Errorf("%+v, took %g", got, *r.TotalS)
	}
}

// drawRuns draws complete runs that end with anything.
func drawRuns(t *rapid.T) []profile.Run {
	n := rapid.IntRange(0, 8).Draw(t, "runs")
	runs := make([]profile.Run, n)
	for i := range runs {
		s := script{
			model:   rapid.SampledFrom([]string{"net", "other"}).Draw(t, "model"),
			system:  rapid.SampledFrom([]string{"a", "b", "c", "mine"}).Draw(t, "system"),
			variant: rapid.SampledFrom([]string{"", "v"}).Draw(t, "variant"),
			startup: rapid.Float64Range(0, 50).Draw(t, "start-up"), firstExtra: rapid.Float64Range(0, 500).Draw(t, "first"),
			epochs: rapid.IntRange(1, 20).Draw(t, "epochs"), every: rapid.IntRange(0, 4).Draw(t, "every"),
			evaluation: rapid.Float64Range(0, 20).Draw(t, "evaluation"), end: rapid.Float64Range(0, 300).Draw(t, "end"),
		}
		s.epoch = func(int) float64 { return rapid.Float64Range(1, 200).Draw(t, "epoch") }
		runs[i] = s.run()
	}
	return runs
}

// Nothing after the known epochs is looked at, and a forecast holds its value
// in its interval, whatever there is to learn from.
func TestPredictLooksNoFurther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		totals := NewTotals(drawRuns(t))
		r := script{
			model: "net", system: "mine", epoch: func(int) float64 { return rapid.Float64Range(1, 200).Draw(t, "mine") },
			epochs: 8, every: 2, evaluation: 3,
		}.run()
		known := rapid.IntRange(1, 6).Draw(t, "known")
		n := rapid.Float64Range(float64(known), 50).Draw(t, "of")
		got := totals.Predict(r, known, n)
		if e := got.Total; !(e.Low <= e.Value && e.Value <= e.High) || e.Value < r.EpochStartsS[known] ||
			math.IsInf(e.High, 0) || got.Words == "" {
			t.Fatalf("%+v", got)
		}
		later := r
		later.TotalS, later.Epochs, later.Status = nil, nil, profile.Interrupted
		later.EpochStartsS = append(append([]float64{}, r.EpochStartsS[:known+1]...), 1e9)
		later.Validations = append(append([]profile.Validation{}, r.Validations...), profile.Validation{AtS: new(2e9)})
		if again := totals.Predict(later, known, n); again != got {
			t.Fatalf("another future gives %+v instead of %+v", again, got)
		}
	})
}

// Seconds or minutes: the same answer.
func TestTotalsScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		r := script{model: "net", system: "mine", firstExtra: 4, epoch: func(i int) float64 { return 50 + float64(i%3) },
			epochs: 8, every: 3, evaluation: 3}.run()
		k := rapid.Float64Range(0.1, 100).Draw(t, "scale")
		withIntervalOf := make([]profile.Run, len(runs))
		for i := range runs {
			withIntervalOf[i] = scaledRun(runs[i], k)
		}
		known := rapid.IntRange(1, 6).Draw(t, "known")
		a := NewTotals(runs).Predict(r, known, 8).Total
		b := NewTotals(withIntervalOf).Predict(scaledRun(r, k), known, 8).Total
		for _, pair := range [][2]float64{{a.Value, b.Value}, {a.Low, b.Low}, {a.High, b.High}} {
			if math.Abs(pair[1]/(k*pair[0])-1) > 1e-6 {
				t.Fatalf("%v times %g became %v", a, k, b)
			}
		}
	})
}

func scaledRun(r profile.Run, k float64) profile.Run {
	starts, validations := make([]float64, len(r.EpochStartsS)), make([]profile.Validation, len(r.Validations))
	for i, s := range r.EpochStartsS {
		starts[i] = k * s
	}
	for i, v := range r.Validations {
		v.AtS = new(k * *v.AtS)
		validations[i] = v
	}
	r.EpochStartsS, r.Validations, r.TotalS = starts, validations, new(k**r.TotalS)
	return r
}

func TestNoForecast(t *testing.T) {
	sound := script{model: "net", epoch: each(10), epochs: 5}.run()
	totals := NewTotals([]profile.Run{sound})
	infer := sound
	infer.Mode = profile.Infer
	for name, f := range map[string]Forecast{
		"no epoch":        totals.Predict(sound, 0, 5),
		"not so far":      totals.Predict(sound, 5, 5),
		"inference":       totals.Predict(infer, 2, 5),
		"fewer than seen": totals.Predict(sound, 3, 2),
		"no number":       totals.Predict(sound, 2, math.NaN()),
		"endless":         totals.Predict(sound, 2, math.Inf(1)),
		"nothing known":   totals.Predict(profile.Run{Mode: profile.Train}, 2, 5),
	} {
		if f.Total.Known() {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if got := totals.Predict(sound, 4, 4).Total; got.Value != sound.EpochStartsS[4] {
		t.Errorf("nothing left to predict: %v, ended at %g", got, sound.EpochStartsS[4])
	}
}

func BenchmarkPredict(b *testing.B) {
	runs := systems(100, func(speed float64) script {
		return script{startup: 5, firstExtra: 20 * speed, epoch: each(100 * speed), epochs: 16, every: 4,
			evaluation: 8 * speed, end: 30 * speed}
	})
	totals := NewTotals(runs)
	r := runs[50]
	b.ReportAllocs()
	for b.Loop() {
		totals.Predict(r, 2, 16)
	}
}
