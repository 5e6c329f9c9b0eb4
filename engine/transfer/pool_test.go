package transfer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"sweetspot/engine/profile"
)

// networks are made-up ones of inference on two GPUs, of which "fast" computes three
// times as fast as "slow" and has the same memory: operations take a third of the time
// and activations as long. Each was run at one batch size per GPU.
func networks(n int, fastBatch func(i int) int, family func(i int) string) *profile.Set {
	set := &profile.Set{}
	random := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		flops, activations := 1e9*math.Exp(random.NormFloat64()), 1e7*math.Exp(random.NormFloat64())
		for vm, speed := range map[string]float64{"slow": 1e13, "fast": 3e13} {
			batch := 256
			if vm == "fast" {
				batch = fastBatch(i)
			}
			run := step(fmt.Sprint(family(i), i), vm, batch, float64(batch)*(flops/speed+activations/1e11))
			run.Mode, run.Work = profile.Infer, profile.Work{FLOPs: &flops, Activations: &activations}
			set.Runs = append(set.Runs, run)
		}
	}
	return set
}

// missOf is the mean size of ln(predicted / measured) on fast, of each network in turn
// that was run on slow only.
func missOf(t *testing.T, set *profile.Set) float64 {
	t.Helper()
	all := New(set, profile.Infer).Iterations
	sum, n := 0.0, 0.0
	for _, c := range all.Cells() {
		if c.VM.InstanceType != "fast" {
			continue
		}
		e, _ := all.Without(func(o Cell) bool { return o == c }).Predict(c)
		if !e.Known() {
			t.Fatalf("no answer for %v", c)
		}
		sum, n = sum+math.Abs(math.Log(e.Value/all.Time(c).Value)), n+1
	}
	return sum / n
}

func alike(int) int { return 256 }

func apart(i int) string { return string(rune('a'+i%26)) + string(rune('a'+i/26)) }

// What is bound by computing gains from a GPU that computes faster, and what is bound
// by memory does not: the work of a network tells which it is.
func TestWorkTellsWhatAGPUIsWorth(t *testing.T) {
	set := networks(60, alike, apart)
	known := missOf(t, set)
	for i := range set.Runs {
		set.Runs[i].Work = profile.Work{}
	}
	if unknown := missOf(t, set); known > 0.04 || known > unknown/3 {
		t.Errorf("off by %.3f with the work known, by %.3f without", known, unknown)
	}
}

// Networks that were run at one batch size per GPU, not the same on both, are still
// compared.
func TestOneBatchSizeEachAndNotTheSame(t *testing.T) {
	for name, batch := range map[string]func(int) int{
		"a quarter of it": func(int) int { return 64 },
		"some a quarter":  func(i int) int { return 256 / (1 + 3*(i%4/3)) },
	} {
		if miss := missOf(t, networks(60, batch, apart)); miss > 0.05 {
			t.Errorf("%s: off by %.3f", name, miss)
		}
	}
}

// Networks of one family gain alike, whatever else is known of them.
func TestFamiliesAreAlike(t *testing.T) {
	family := func(i int) string { return apart(i % 6) }
	of := func(name func(int) string) float64 {
		set := networks(48, alike, name)
		for i := range set.Runs {
			r := &set.Runs[i]
			if r.Work = (profile.Work{}); r.InstanceType == "fast" { // the gain is the family's
				slow := set.Runs[i^1]
				r.Steady = slow.Steady.Times(0.4 + 0.1*float64(i/2%6))
			}
		}
		return missOf(t, set)
	}
	if with, without := of(family), of(apart); with > without/2 {
		t.Errorf("off by %.3f with families, by %.3f without", with, without)
	}
}

// A method that was never off has all of the weight where enough models say so, and
// about a third where only two do, which agree by chance.
func TestModelsVote(t *testing.T) {
	for models, want := range map[int][2]float64{2: {0.3, 0.4}, 12: {0.98, 1}} {
		var observations []observation
		for i := range models {
			o := observation{subject: Subject{Model: fmt.Sprint(i)}, features: []float64{float64(i)}, y: float64(1 - 2*(i%2))}
			observations = append(observations, o)
		}
		p := newPool(observations, squaredExponential, trialsOf(observations, nil), 1, knowing{observations}, nothing{})
		if w := p.weights[0]; w < want[0] || w > want[1] {
			t.Errorf("of %d models the better method has weight %.2f", models, w)
		}
	}
}

// knowing is a method that knows the answers.
type knowing struct{ observations []observation }

func (k knowing) at(x *observation, _ float64, _ []float64) prediction { return prediction{x.y, 1} }

func (k knowing) without(group []int) []prediction {
	var out []prediction
	for _, i := range group {
		out = append(out, prediction{k.observations[i].y, 1})
	}
	return out
}

// Of each subject of another model what stands for the probe stays known, in whatever
// order the observations come.
func TestTrialsKeepWhatAProbeTells(t *testing.T) {
	asked := Subject{Model: "asked"}
	observations := []observation{{subject: asked, octave: 6}}
	for _, octave := range []float64{4, 8, 6, 5} {
		for _, variant := range []string{"a", "b"} {
			observations = append(observations, observation{subject: Subject{"other", variant}, octave: octave})
		}
	}
	models := trialsOf(observations, &asked)
	if len(models) != 1 || len(models[0]) != 2 {
		t.Fatalf("%v", models)
	}
	for _, trial := range models[0] {
		if len(trial.left) != 7 || len(trial.asked) != 3 {
			t.Errorf("%+v", trial)
		}
		for _, i := range trial.asked {
			if o := observations[trial.left[i]]; o.octave == 6 || o.subject != observations[trial.left[trial.asked[0]]].subject {
				t.Errorf("asks for %+v", o)
			}
		}
	}
}
