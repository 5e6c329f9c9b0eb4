package validate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// database is one of random times: each network has a fixed and a growing part, each
// GPU a speed for either, and each pair of them something of its own.
type database struct {
	models, gpus    int
	own             float64 // standard deviation of what a pair has of its own
	oddModel, oddVM bool    // the first is unlike the others
}

func (d database) runs(seed uint64) *profile.Set {
	draw := rand.New(rand.NewPCG(seed, 7))
	lognormal := func(sd float64) float64 { return math.Exp(sd * draw.NormFloat64()) }
	set := &profile.Set{}
	type speed struct{ fixed, growing float64 }
	speeds := make([]speed, d.gpus)
	for g := range speeds {
		speeds[g] = speed{lognormal(0.2), lognormal(0.7)}
	}
	for m := range d.models {
		fixed, growing := 0.005*lognormal(1), 0.0005*lognormal(1)
		for g, s := range speeds {
			own := lognormal(d.own)
			if d.oddModel && m == 0 || d.oddVM && g == 0 {
				own = lognormal(1)
			}
			for batch := 16; batch <= 256; batch *= 2 {
				seconds := own * (fixed*s.fixed + growing*s.growing*float64(batch)) * lognormal(0.01)
				set.Runs = append(set.Runs, profile.Run{
					Model: fmt.Sprint("net", string(rune('a'+m))), Mode: profile.Train, InstanceType: fmt.Sprint("vm", g),
					GPU: fmt.Sprint("gpu ", g), GPUCount: 1, Count: 1, BatchSize: batch, Status: profile.Done,
					Basis: estimate.Measured, SteadyN: 100, Steady: estimate.Spread(seconds, 0.01, estimate.Measured),
				})
			}
		}
	}
	return set
}

// Over many random databases no prediction is further off than the simplest method,
// however many models there are, and whether or not one model or one GPU is odd.
func TestNoWorseThanPlain(t *testing.T) {
	for name, d := range map[string]database{
		"few models":  {models: 3, gpus: 3, own: 0.15},
		"many models": {models: 9, gpus: 3, own: 0.15},
		"odd model":   {models: 6, gpus: 3, own: 0.05, oddModel: true},
		"odd VM type": {models: 6, gpus: 3, own: 0.05, oddVM: true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, q := range []Question{
				fromTwoBatches(profile.Train), fromOneProbe(profile.Train), neverProbed(profile.Train),
				neverProbedFromOne(profile.Train),
			} {
				var cases []Case
				for seed := range uint64(4) {
					cases = append(cases, q.Cases(d.runs(seed))...)
				}
				s := Summarise(cases)
				t.Logf("%s: %d cases, mean error %.1f %%, plain %.1f %%; coverage %.0f %%", q.Name, s.N, 100*s.Mean, 100*s.Plain,
					100*s.Coverage)
				if s.N == 0 || s.Mean > 1.05*s.Plain {
					t.Errorf("%s: mean error %.4f of %d cases, plain %.4f", q.Name, s.Mean, s.N, s.Plain)
				}
			}
		})
	}
}

// Where what a GPU is worth is a property of the family, its own networks tell it and
// those of other families do not.
func TestAFamilyLeftOut(t *testing.T) {
	set := &profile.Set{}
	for i := range 24 {
		family := string(rune('a' + i%4))
		for vm, speed := range []float64{1, 2 + float64(i%4)} {
			set.Runs = append(set.Runs, profile.Run{
				Model: fmt.Sprint(family, i), Mode: profile.Infer, InstanceType: fmt.Sprint("vm", vm), GPU: fmt.Sprint("gpu", vm),
				GPUCount: 1, Count: 1, BatchSize: 64, Status: profile.Done, Basis: estimate.Published,
				Steady: estimate.Exact(float64(1+i/4)/speed, estimate.Published),
			})
		}
	}
	known, hidden := Summarise(neverProbed(profile.Infer).Cases(set)), Summarise(FamilyNeverProbed(profile.Infer).Cases(set))
	if known.N != 48 || hidden.N != 48 || known.Mean > 0.05 || hidden.Mean < 3*known.Mean {
		t.Errorf("off by %.3f with the family known, by %.3f without", known.Mean, hidden.Mean)
	}
}
