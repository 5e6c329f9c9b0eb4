package training

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// script is a training run made up of known terms, in seconds.
type script struct {
	model, system, variant string
	startup, firstExtra    float64 // before the first epoch; what the first takes beyond the others
	epoch                  func(i int) float64
	epochs                 int
	every                  int // an evaluation after each so many epochs, in their time; 0 for none
	evaluation, end        float64
}

func each(seconds float64) func(int) float64 { return func(int) float64 { return seconds } }

// run plays the script.
func (s script) run() profile.Run {
	r := profile.Run{
		Model: s.model, Variant: profile.Variant{Name: s.variant}, InstanceType: s.system, Mode: profile.Train, Count: 1,
		Status: profile.Done, Basis: estimate.Measured, Epochs: new(float64(s.epochs)),
	}
	at := s.startup
	for i := range s.epochs {
		r.EpochStartsS = append(r.EpochStartsS, at)
		at += s.epoch(i)
		if i == 0 {
			at += s.firstExtra
		}
		if s.every > 0 && (i+1)%s.every == 0 {
			at += s.evaluation
			r.Validations = append(r.Validations, profile.Validation{Epoch: i, AtS: new(at)})
		}
	}
	r.TotalS = new(at + s.end)
	return r
}

func TestFirstEpochsKnowNoMore(t *testing.T) {
	r := script{startup: 3, epoch: each(10), epochs: 6, every: 2, evaluation: 1}.run()
	p, ok := firstEpochs(r, 3)
	if !ok || p.Known() != 3 || p.StartsS[3] != 34 || len(p.EvaluatedS) != 1 {
		t.Errorf("after three epochs: %+v, %v", p, ok)
	}
	for _, known := range []int{0, -1, 6, 7} {
		if _, ok := firstEpochs(r, known); ok {
			t.Errorf("%d epochs of 6 were taken for known, with the time they ended", known)
		}
	}
	for name, starts := range map[string][]float64{"fall": {5, 3, 8}, "stand": {5, 5, 8}, "NaN": {1, math.NaN(), 9},
		"before": {-1, 3, 8}} {
		if _, ok := firstEpochs(profile.Run{EpochStartsS: starts}, 2); ok {
			t.Errorf("epochs that %s were believed", name)
		}
	}
}

func TestEvaluationsBelongToTheEpochTheyEnd(t *testing.T) {
	starts := []float64{10, 110, 210, 310}
	for _, c := range []struct {
		at         float64
		epoch      int // -1 for none
		concurrent bool
	}{
		{5, -1, false}, {10, -1, false}, {12, -1, false}, // before the training
		{109.9, 0, false}, {110, 0, false}, {110.4, 0, false}, {309, 2, false}, {310, 2, false}, {314, 2, false},
		{160, -1, true}, {117, -1, true},
	} {
		at, concurrent := Progress{StartsS: starts, EvaluatedS: []float64{c.at}}.evaluations()
		for i, evaluated := range at {
			if evaluated != (i == c.epoch) {
				t.Errorf("ended at %g: epochs %v", c.at, at)
			}
		}
		if concurrent != c.concurrent {
			t.Errorf("ended at %g: beside the training %v", c.at, concurrent)
		}
	}
}

// Known terms: 100 s an epoch, 10 s an evaluation, 40 s of start-up in the first.
func TestPaceTakesEvaluationsApart(t *testing.T) {
	for name, c := range map[string]struct {
		every, known int
		epochs, want float64
	}{
		"none":                 {0, 2, 10, 100},
		"each epoch":           {1, 3, 10, 110},
		"one seen":             {2, 3, 11, 100 + 10*4./8},
		"two seen":             {2, 5, 11, 100 + 10*3./6},
		"every third":          {3, 7, 13, 100 + 10*2./6},
		"only in the first":    {1, 1, 10, 150},
		"at least the last is": {4, 5, 6, 100 + 10},
	} {
		r := script{startup: 7, firstExtra: 40, epoch: each(100), epochs: 20, every: c.every, evaluation: 10}.run()
		p, _ := firstEpochs(r, c.known)
		if got := p.pace(c.epochs); math.Abs(got.perEpoch-c.want) > 1e-9 || got.scatter > 1e-9 || got.apart > 1e-9 {
			t.Errorf("%s: %+v, want %g s an epoch", name, got, c.want)
		}
	}
}

// A second epoch a little slower than the first is slower by chance: start-up
// can only lengthen the first. By more than that it has more work.
func TestPaceOfASlowerSecondEpoch(t *testing.T) {
	for second, want := range map[float64]float64{102: math.Sqrt(100 * 102), 110: 110, 100: 100, 98: 98} {
		p := Progress{StartsS: []float64{0, 100, 100 + second}}
		if got := p.pace(10).perEpoch; math.Abs(got-want) > 1e-9 {
			t.Errorf("100 s, then %g s: %g s an epoch, want %g", second, got, want)
		}
	}
	evaluated := Progress{StartsS: []float64{0, 100, 202}, EvaluatedS: []float64{202}}
	if got := evaluated.pace(10).perEpoch; got != 102 {
		t.Errorf("slower by an evaluation: %g s an epoch, want 102", got)
	}
}

func TestIsComplete(t *testing.T) {
	sound := script{epoch: each(1), epochs: 3}.run()
	if !IsComplete(sound) {
		t.Error("a complete run is not")
	}
	capped, infer, failed, noTotal, noEpochs := sound, sound, sound, sound, sound
	capped.Epochs, infer.Mode, failed.Status, noTotal.TotalS, noEpochs.EpochStartsS = new(20.0), profile.Infer,
		profile.Failed, nil, nil
	for name, r := range map[string]profile.Run{"capped": capped, "inference": infer, "failed": failed,
		"no total": noTotal, "no epochs": noEpochs} {
		if IsComplete(r) {
			t.Errorf("%s: taken for complete", name)
		}
	}
}
