package validate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// grid is a made-up set: models of different size on three VM types.
func grid(times func(model, vm, batch int) float64) *profile.Set {
	set := &profile.Set{}
	for m := range 4 {
		for vm := range 3 {
			for _, batch := range []int{16, 32, 64, 128, 256} {
				set.Runs = append(set.Runs, profile.Run{
					Model: fmt.Sprint("model ", m), Mode: profile.Train, InstanceType: fmt.Sprint("vm ", vm),
					GPU:      fmt.Sprint("gpu ", vm),
					GPUCount: 1, Count: 1, BatchSize: batch, Status: profile.Done, Basis: estimate.Measured,
					Steady: estimate.Exact(times(m, vm, batch), estimate.Measured),
				})
			}
		}
	}
	return set
}

func lines(model, vm, batch int) float64 {
	return 0.01*float64(1+model) + 0.001*float64(batch)*float64(1+model%3)/float64(1+vm)
}

// What a question hides must not matter: with the hidden times of one model on
// one VM type all wrong, the predictions for it stay as they are.
func TestQuestionsHideWhatTheyAsk(t *testing.T) {
	for _, c := range []struct {
		question Question
		hidden   func(batch int) bool // of model 1 on VM type 2
	}{
		{neverProbed(profile.Train), func(int) bool { return true }},
		{neverProbedFromOne(profile.Train), func(int) bool { return true }},
		{fromOneProbe(profile.Train), func(b int) bool { return b != 64 }},
		{fromThreeBatches(profile.Train), func(b int) bool { return b == 32 || b == 128 }},
	} {
		wrong := func(model, vm, batch int) float64 {
			if model == 1 && vm == 2 && c.hidden(batch) {
				return 7 * lines(model, vm, batch)
			}
			return lines(model, vm, batch)
		}
		of := "model 1 on vm 2 "
		sound, poisoned := about(c.question.Cases(grid(lines)), of), about(c.question.Cases(grid(wrong)), of)
		if len(sound) == 0 || len(sound) != len(poisoned) {
			t.Fatalf("%s: %d and %d cases", c.question.Name, len(sound), len(poisoned))
		}
		for i := range sound {
			if sound[i].Predicted != poisoned[i].Predicted || math.Abs(poisoned[i].Truth/sound[i].Truth-7) > 1e-9 {
				t.Errorf("%s, %s: %+v, with wrong times %+v", c.question.Name, sound[i].Of, sound[i], poisoned[i])
			}
		}
	}
}

func about(cases []Case, of string) []Case {
	return slices.DeleteFunc(cases, func(c Case) bool { return len(c.Of) < len(of) || c.Of[:len(of)] != of })
}

// Of a GPU never seen only its published figures may count: not the times of
// any model on it, here all wrong.
func TestFiguresOfAGPUNeverSeen(t *testing.T) {
	figured := func(times func(model, vm, batch int) float64) *profile.Set {
		set := grid(times)
		for vm := range 3 {
			set.GPUs = append(set.GPUs, profile.GPUSpec{Name: fmt.Sprint("gpu ", vm), FP32TFLOPS: new(float64(1 + vm)),
				BandwidthGBs: new(100 * float64(1+vm))})
		}
		return set
	}
	byPeak := func(model, vm, batch int) float64 { return lines(model, 0, batch) / float64(1+vm) }
	wrong := func(model, vm, batch int) float64 {
		if vm == 2 {
			return 7 * byPeak(model, vm, batch)
		}
		return byPeak(model, vm, batch)
	}
	sound, poisoned := neverSeen(profile.Train).Cases(figured(byPeak)), neverSeen(profile.Train).Cases(figured(wrong))
	if s := Summarise(sound); s.N != 60 || s.Unanswered != 0 || s.P90 > 0.01 || s.Plain > 1e-9 || s.Coverage < 1 {
		t.Errorf("%+v", s)
	}
	asked := 0
	for i, c := range sound {
		if c.Predicted.Basis != estimate.Spec {
			t.Errorf("%s rests on %v", c.Of, c.Predicted.Basis)
		}
		if strings.Contains(c.Of, " on vm 2 ") {
			asked++
			if c.Predicted != poisoned[i].Predicted {
				t.Errorf("%s: %+v, with wrong times %+v", c.Of, c, poisoned[i])
			}
		}
	}
	if asked != 20 {
		t.Errorf("%d cases on the last VM type", asked)
	}
}

// On lines both the baseline and the prediction are exact.
func TestLinesArePredicted(t *testing.T) {
	for _, q := range []Question{fromTwoBatches(profile.Train), fromTwoBatchesAlone(profile.Train),
		fromThreeBatches(profile.Train)} {
		s := Summarise(q.Cases(grid(lines)))
		if s.N == 0 || s.Unanswered != 0 || s.Mean > 0.002 || s.Plain > 1e-9 || s.Coverage < 1 {
			t.Errorf("%s: %+v", q.Name, s)
		}
	}
}

// A VM type on which all models take the same share of their time is no riddle.
func TestRatiosAreLearnt(t *testing.T) {
	ratio := func(model, vm, batch int) float64 { return lines(model, 0, batch) / float64(1+vm) }
	for _, q := range []Question{fromOneProbe(profile.Train), neverProbed(profile.Train),
		neverProbedFromOne(profile.Train)} {
		s := Summarise(q.Cases(grid(ratio)))
		if s.N == 0 || s.Unanswered != 0 || s.Mean > 0.02 || s.Plain > 1e-9 || s.Coverage < 0.85 {
			t.Errorf("%s: %+v", q.Name, s)
		}
	}
}

func TestDesigns(t *testing.T) {
	for _, c := range []struct {
		design   design
		measured []int
		want     [][]int
	}{
		{twoBatches, []int{16, 32, 64, 128, 256}, [][]int{{16, 64}, {16, 256}, {32, 128}}},
		{twoBatches, []int{16, 32, 64}, [][]int{{16, 64}}},
		{twoBatches, []int{16, 64}, nil}, // nothing is left to ask about
		{twoBatches, []int{10, 11, 12}, nil},
		{threeBatches, []int{8, 16, 32}, nil},
		{threeBatches, []int{8, 16, 32, 64}, [][]int{{8, 32, 64}}},
		{threeBatches, []int{1, 2, 3, 4, 5}, [][]int{{1, 3, 5}}},
	} {
		got := c.design(c.measured)
		if !slices.EqualFunc(got, c.want, slices.Equal[[]int]) {
			t.Errorf("%v: %v, want %v", c.measured, got, c.want)
		}
	}
}

// A published time per GPU, said of two VM types that have it, is asked about
// once; two that were measured are two, whatever they say.
func TestWhatIsSaidTwiceIsAskedOnce(t *testing.T) {
	for basis, want := range map[estimate.Basis]int{estimate.Published: 0, estimate.Measured: 20} {
		set := grid(func(model, vm, batch int) float64 { return lines(model, vm-vm%2, batch) })
		for i := range set.Runs {
			r := &set.Runs[i]
			r.Mode, r.Basis, r.Steady.Basis = profile.Infer, basis, basis
			if r.InstanceType == "vm 1" {
				r.GPU = "gpu 0"
			}
		}
		cases := neverProbed(profile.Infer).Cases(set)
		again := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !strings.Contains(c.Of, " on vm 1 ") })
		if len(again) != want || len(cases) != 40+want {
			t.Errorf("%s: %d cases of the second VM type, of %d", basis, len(again), len(cases))
		}
	}
}

// Where the variants of a model are networks of their own, one is left out at a time,
// as if each were a model.
func TestNetworksAreLeftOutOneByOne(t *testing.T) {
	models, networks := grid(lines), grid(lines)
	for i := range networks.Runs {
		r := &networks.Runs[i]
		r.Variant.Name, r.Model = r.Model+" · 224 px", "set"
	}
	for _, q := range []Question{neverProbed(profile.Train), neverProbedFromOne(profile.Train),
		fromOneProbe(profile.Train), fromThreeBatches(profile.Train)} {
		want, got := Summarise(q.Cases(models)), Summarise(q.Cases(networks))
		if got.N != want.N || got.N == 0 || got.Unanswered != want.Unanswered || math.Abs(got.Median-want.Median) > 1e-9 ||
			math.Abs(got.Plain-want.Plain) > 1e-9 {
			t.Errorf("%s: %+v of networks, %+v of models", q.Name, got, want)
		}
	}
}

// Nothing of a GPU's generation may count where it was never seen, but what was run on its
// other GPUs does for the GPU alone.
func TestAGenerationNeverSeen(t *testing.T) {
	set := func(factor float64) *profile.Set {
		s := grid(func(model, vm, batch int) float64 {
			return lines(model, 0, batch) / float64(1+vm) * []float64{1, factor, 1}[vm]
		})
		for vm, generation := range []string{"old", "old", "new"} {
			s.GPUs = append(s.GPUs, profile.GPUSpec{Name: fmt.Sprint("gpu ", vm), FP32TFLOPS: new(float64(1 + vm)),
				BandwidthGBs: new(100 * float64(1+vm)), Architecture: generation})
		}
		return s
	}
	for _, q := range []struct {
		Question
		told bool
	}{{neverSeen(profile.Train), true}, {GenerationNeverSeen(profile.Train), false}} {
		sound, slow := q.Cases(set(1)), q.Cases(set(2))
		asked := 0
		for i, c := range sound {
			if strings.Contains(c.Of, " on vm 0 ") {
				asked++
				if told := c.Predicted != slow[i].Predicted; told != q.told {
					t.Errorf("%s: %s: told by its generation: %v", q.Name, c.Of, told)
				}
			}
		}
		if asked == 0 {
			t.Errorf("%s asks nothing", q.Name)
		}
	}
}
