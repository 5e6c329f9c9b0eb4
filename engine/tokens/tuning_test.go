package tokens

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"sweetspot/engine/estimate"
)

// tuned is a run with evaluations every 384 samples, the first after three times as many.
func tuned(system string, batch, samples, start, rate float64) Tuning {
	t := Tuning{System: system, Batch: batch}
	for s := 1152.0; s <= samples; s += 384 {
		t.Samples, t.AtS = append(t.Samples, s), append(t.AtS, start+s/rate)
	}
	return t
}

// A run that goes on as it began is predicted exactly, and one of a system on which
// another stood still is marked.
func TestTotal(t *testing.T) {
	var runs []Tuning
	for i := range 9 {
		runs = append(runs, tuned("steady", 8, 3072, float64(100+i), 3), tuned("stalls", 8, 3072, 100, 3))
	}
	for i := 3; i < len(runs[1].AtS); i++ {
		runs[1].AtS[i] += 200
	}
	others := NewTunings(runs)
	for _, c := range []struct {
		system string
		stalls bool
	}{{"steady", false}, {"stalls", true}, {"unheard of", false}} {
		run := tuned(c.system, 8, 3072, 100, 3)
		run.Samples, run.AtS = run.Samples[:2], run.AtS[:2]
		total, stalls := others.Total(run, 3072)
		if math.Abs(total.Value-(100+1024)) > 1e-6 || stalls != c.stalls || total.Low > total.Value ||
			total.High < total.Value {
			t.Errorf("%s: %v, may stall: %t", c.system, total, stalls)
		}
	}
}

// Before the second evaluation, and of what is no run, nothing is known.
func TestTotalUnknown(t *testing.T) {
	whole := tuned("a", 8, 3072, 100, 3)
	for name, run := range map[string]Tuning{
		"empty":          {},
		"one evaluation": {System: "a", Batch: 8, Samples: whole.Samples[:1], AtS: whole.AtS[:1]},
		"falling":        {System: "a", Batch: 8, Samples: []float64{2, 1}, AtS: []float64{1, 2}},
		"no number":      {System: "a", Batch: 8, Samples: []float64{1, 2}, AtS: []float64{1, math.NaN()}},
		"no times":       {System: "a", Batch: 8, Samples: []float64{1, 2}},
	} {
		if e, _ := NewTunings([]Tuning{whole, run}).Total(run, 3072); e.Known() {
			t.Errorf("%s: %v", name, e)
		}
	}
	if e, _ := NewTunings(nil).Total(whole, 1); e.Known() {
		t.Errorf("less than was done: %v", e)
	}
	if e := NewTunings(nil).SamplesToTarget(8); e.Known() {
		t.Errorf("samples by nothing: %v", e)
	}
}

// Nine of ten runs of a batch size need as many samples as others did, and so do those
// of a batch size that no other had, by a curve.
func TestSamplesToTarget(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	needs := func(batch float64) float64 {
		return 384 * math.Round((3000+60*batch)/384*math.Exp(0.08*draw.NormFloat64()))
	}
	var runs []Tuning
	for _, batch := range []float64{8, 16, 32, 64} {
		for i := range 60 {
			runs = append(runs, tuned(fmt.Sprint(i), batch, needs(batch), 100, 3))
		}
	}
	others := NewTunings(runs)
	for _, c := range []struct {
		batch float64
		basis estimate.Basis
	}{{8, estimate.Measured}, {64, estimate.Measured}, {24, estimate.OtherBatch}} {
		e := others.SamplesToTarget(c.batch)
		inside := 0
		for range 500 {
			if s := needs(c.batch); e.Low <= s && s <= e.High {
				inside++
			}
		}
		if e.Basis != c.basis || inside < 425 || inside > 490 || e.High/e.Low > 1.5 {
			t.Errorf("batch %v: %v holds %d of 500", c.batch, e, inside)
		}
	}
}
