package training

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// unsteady are complete runs, each of a model of its own, whose
// later epochs take so many times as long as the second.
func unsteady(factors ...float64) []profile.Run {
	var runs []profile.Run
	for i, factor := range factors {
		runs = append(runs, script{model: fmt.Sprint("net ", i), system: "box", epochs: 10,
			epoch: func(i int) float64 { return 100 * math.Pow(factor, math.Min(1, float64(i/2))) }}.run())
	}
	return runs
}

func TestFitUnsteadiness(t *testing.T) {
	got := FitUnsteadiness(unsteady(2, 1.5, 1.1, 1, 0.9, 0.5))
	slower := (math.Log(2)+math.Log(1.5))/2 - unsteadyFrom
	if math.Abs(got.Slower.Mean-slower) > 1e-9 || math.Abs(got.Faster.Mean-math.Log(2)+unsteadyFrom) > 1e-9 ||
		got.Slower.Of != 2 || got.Faster.Of != 1 || got.SlowStarts != 0 || math.Abs(got.Others-0.7318) > 5e-4 {
		t.Errorf("%+v", got)
	}
	// Repeats add no weight.
	more := unsteady(2, 1.5)
	for range 5 {
		more = append(more, more[1])
	}
	if again := FitUnsteadiness(more); math.Abs(again.Slower.Mean-slower) > 1e-9 || again.Faster.Of != 0 {
		t.Errorf("with repeats of the second %+v", again)
	}
	if none := FitUnsteadiness(unsteady(1, 1.05)); none != (Unsteadiness{}) {
		t.Errorf("of steady trainings %+v", none)
	}
}

// Of trainings drawn from what was fitted nine in ten lie in the interval of a run that
// begins slowly and that nothing else is known of, on either side; and nine in ten of the unsteady ones in that
// of a run whose second epoch shows that it is one. Two epochs alike are less to be feared.
func TestUnsteadyTrainingsAreInside(t *testing.T) {
	totals := NewTotals(nil)
	r := script{model: "net", system: "new", epoch: each(100), epochs: 200, firstExtra: 30}.run()
	got := totals.Predict(r, 2, 200)
	if got.Uneven || !got.Alone || !strings.Contains(got.Words, "1.3 times") {
		t.Errorf("a first epoch of 1.3 times the second: %+v", got)
	}
	u := PublishedUnsteadiness
	holds := func(e estimate.Estimate, first, expected, chance float64) {
		t.Helper()
		reach := func(x Excess) float64 { // the quantile that 0.1 of a Lomax distribution exceed, if so many are from it
			n := float64(x.Of)
			return unsteadyFrom + n*x.Mean*(math.Pow(0.1/chance, -1/n)-1)
		}
		for miss, want := range map[float64]bool{0.98: true, 1.02: false} {
			for _, at := range []float64{math.Exp(reach(u.Slower) * miss), math.Exp(-reach(u.Faster) * miss)} {
				total := first + 198*expected*at
				if inside := e.Low <= total && total <= e.High; inside != want {
					t.Errorf("later epochs %.2f times as long: inside is %v in %v", at, inside, e)
				}
			}
		}
	}
	holds(got.Total, 230, 100, u.SlowStarts*198/200)
	r.EpochStartsS = []float64{0, 100, 250}
	marked := totals.Predict(r, 2, 200)
	if !marked.Uneven || marked.Total.HalfWidth() < 1.2*got.Total.HalfWidth() {
		t.Errorf("a second epoch of 1.5 times the first: %+v", marked)
	}
	holds(marked.Total, 250, (marked.Total.Value-250)/198, 1)
	r.EpochStartsS = []float64{0, 100, 200}
	if even := totals.Predict(r, 2, 200); even.Uneven || !even.Alone || even.Total.HalfWidth() > got.Total.HalfWidth()/4 {
		t.Errorf("two equal epochs: %+v", even)
	}
}

// A run that evaluates while it trains may end epochs before the last one begins, and of
// a model never seen nobody knows how many.
func TestARunMayEndDuringLaterEpochs(t *testing.T) {
	tpu := func(system string, beyond int) profile.Run {
		r := script{model: "net", system: system, epoch: each(100), epochs: 9}.run()
		for i := range 9 {
			r.Validations = append(r.Validations, profile.Validation{Epoch: i, AtS: new(float64(100*i + 140))})
		}
		r.TotalS = new(800 - 100*float64(beyond) + 40)
		return r
	}
	r := tpu("new", 1)
	got := NewTotals(nil).Predict(r, 2, 9)
	if got.Total.Low > *r.TotalS || got.Total.High > 1.2*got.Total.Value {
		t.Errorf("%+v, took %g", got, *r.TotalS)
	}
	seen := NewTotals([]profile.Run{tpu("a", 1), tpu("b", 1), tpu("c", 1), tpu("d", 1)}).Predict(r, 2, 9)
	if seen.Total.Low > *r.TotalS || seen.Total.Value > 0.9*got.Total.Value {
		t.Errorf("where others ended so %+v, else %+v", seen, got)
	}
}

// One complete run of the model tells that its epochs stay equal, however fast it
// was; one of another model, or of another variant, does not.
func TestAComparableRunTellsOfTheSchedule(t *testing.T) {
	r := script{model: "net", variant: "mine", system: "new", epoch: each(100), epochs: 30}.run()
	of := func(model, variant string) Forecast {
		other := script{model: model, variant: variant, system: "other", epoch: each(20), epochs: 30}.run()
		return NewTotals([]profile.Run{other}).Predict(r, 2, 30)
	}
	if got := of("net", "mine"); got.Alone || got.Total.HalfWidth() > 0.1 {
		t.Errorf("beside one of its kind: %+v", got)
	}
	for name, got := range map[string]Forecast{
		"another model": of("other", "mine"), "another variant": of("net", "other"),
	} {
		if !got.Alone || got.Total.HalfWidth() <= of("net", "mine").Total.HalfWidth() || got.Words == "" {
			t.Errorf("beside %s: %+v", name, got)
		}
	}
}

// Where a model's other variants grow their images, one whose schedule nobody saw may
// turn out as any unsteady training; a complete run of its own variant tells its schedule.
func TestAnotherVariantsScheduleIsNotItsOwn(t *testing.T) {
	grows := func(variant string, at int, times float64) script {
		return script{model: "net", variant: variant, system: "other", epochs: 20, epoch: func(i int) float64 {
			if i < at {
				return 100
			}
			return 100 * times
		}}
	}
	mine := grows("mine", 4, 3)
	mine.system = "new"
	r := mine.run()
	others := []profile.Run{grows("a", 15, 1.5).run(), grows("b", 12, 1.3).run(), grows("c", 16, 1.4).run()}
	got := NewTotals(others).Predict(r, 2, 20)
	if !got.Uneven || got.Total.High < *r.TotalS || !strings.Contains(got.Words, "none of them is of this variant") {
		t.Errorf("beside other variants: %+v, took %g", got, *r.TotalS)
	}
	another := mine
	another.system = "third"
	same := NewTotals([]profile.Run{grows("mine", 4, 3).run(), another.run()}).Predict(r, 2, 20)
	if !same.Uneven || same.Total.HalfWidth() > got.Total.HalfWidth()/2 || strings.Contains(same.Words, "none of them") {
		t.Errorf("beside its own variant: %+v, beside others: %+v", same, got)
	}
}

// What the files of the first epoch cost may not be over in the second.
func TestASlowSecondEpochIsAllowedFor(t *testing.T) {
	like := func(speed, second float64) script {
		return script{epochs: 20, epoch: func(i int) float64 {
			return speed * []float64{100 + 2*second, 100 + second, 100}[min(i, 2)]
		}}
	}
	seen := systems(6, func(speed float64) script { return like(speed, 20) })
	s := like(1.1, 30)
	s.model, s.system = "net", "new"
	r := s.run()
	if got := NewTotals(seen).Predict(r, 2, 20); got.Uneven || got.Total.Low > *r.TotalS {
		t.Errorf("%+v, took %g", got, *r.TotalS)
	}
	even := systems(6, func(speed float64) script { return script{firstExtra: 5, epoch: each(100 * speed), epochs: 20} })
	if got := NewTotals(even).Predict(r, 2, 20); got.Total.HalfWidth() > 0.05 {
		t.Errorf("where seconds were steady: %+v", got)
	}
}

// The more of a run is done, the less can still become of it.
func TestUnsteadinessEndsWithTheRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		totals := NewTotals(nil).With(Unsteadiness{
			Slower:     Excess{rapid.Float64Range(0, 2).Draw(t, "slower"), rapid.IntRange(0, 20).Draw(t, "slower ones")},
			Faster:     Excess{rapid.Float64Range(0, 2).Draw(t, "faster"), rapid.IntRange(0, 20).Draw(t, "faster ones")},
			SlowStarts: rapid.Float64Range(0, 1).Draw(t, "of slow starts"),
			Others:     rapid.Float64Range(0, 1).Draw(t, "of others"),
		})
		epochs := rapid.IntRange(4, 100).Draw(t, "epochs")
		r := script{model: "net", system: "new", epoch: each(100), epochs: epochs,
			firstExtra: rapid.Float64Range(0, 150).Draw(t, "start-up")}.run()
		before := math.Inf(1)
		for known := 2; known < epochs; known++ {
			got := totals.Predict(r, known, float64(epochs)).Total
			if width := got.High - got.Low; !(width <= before) || got.Low > got.Value || got.High < got.Value {
				t.Fatalf("after %d of %d epochs %v, one epoch before ±%g", known, epochs, got, before/2)
			} else {
				before = width
			}
		}
	})
}

// Checkpoints after every other epoch, and validations, are no schedule; images that
// grow are.
func TestIsUneven(t *testing.T) {
	r := profile.Run{Mode: profile.Train, Status: profile.Done}
	at := 3.0
	for i := range 12 {
		r.EpochStartsS = append(r.EpochStartsS, at)
		if at += 100; i%2 == 1 {
			at += 40
			r.Pauses = append(r.Pauses, profile.Pause{Kind: "checkpoint", AtS: at, Seconds: 40})
		} else if i%3 == 0 {
			at += 50
			r.Validations = append(r.Validations, profile.Validation{Epoch: i, AtS: new(at), Seconds: 50})
		}
	}
	if IsUneven(r) {
		t.Error("checkpoints and validations made epochs uneven")
	}
	late := r
	late.EpochStartsS = slices.Clone(r.EpochStartsS)
	for i := range late.EpochStartsS {
		late.EpochStartsS[i] -= 0.001 // a beginning that was computed lies before the checkpoint's end
	}
	if IsUneven(late) {
		t.Error("checkpoints that end 1 ms after the beginning of an epoch made epochs uneven")
	}
	r.Pauses = nil
	if !IsUneven(r) {
		t.Error("40 s more in every other epoch, and nothing explains them")
	}
	if s := (script{epoch: each(100), epochs: 12, firstExtra: 300, every: 3, evaluation: 30}).run(); IsUneven(s) {
		t.Error("a start-up and evaluations whose times are part of their epochs")
	}
}
