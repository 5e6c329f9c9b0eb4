package library

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/generation"
	"sweetspot/engine/profile"
)

// What batches took on each chip is predicted from those on all others, and on the same chip from
// those of other models: nine in ten times within the interval, and by the median within 30 %.
func TestLatenciesLeftOut(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	chip := func(x profile.BatchLatency) string { return profile.ParseGPUName(x.GPU).Chip }
	for name, same := range map[string]func(x, y profile.BatchLatency) bool{
		"chips":  func(x, y profile.BatchLatency) bool { return chip(x) == chip(y) },
		"models": func(x, y profile.BatchLatency) bool { return x.Model == y.Model },
	} {
		var misses []float64
		inside := 0
		for _, x := range set.Latencies {
			a, _ := set.Architecture(x.Model)
			without := *set
			without.Latencies = slices.DeleteFunc(slices.Clone(set.Latencies),
				func(y profile.BatchLatency) bool { return same(x, y) })
			e, why := generation.NewSpeeds(&without).Seconds(generation.Batch{Architecture: a, Weights: generation.Half,
				GPUs: x.GPUs, Sequences: x.Sequences, Input: x.Input, Output: x.Output}, x.GPU)
			if !e.Known() || (name == "chips") != strings.Contains(why, "other kind") {
				t.Fatalf("%s: %+v, %s", x.GPU, e, why)
			}
			misses = append(misses, math.Abs(math.Log(e.Value/x.Seconds)))
			if e.Low <= x.Seconds && x.Seconds <= e.High {
				inside++
			}
		}
		slices.Sort(misses)
		n := len(misses)
		t.Logf("%s: %d, median %.2f, p90 %.2f, inside %d", name, n, misses[n/2], misses[n*9/10], inside)
		if n < 50 || misses[n/2] > 0.3 || float64(inside) < 0.85*float64(n) {
			t.Errorf("%s: %d latencies, median miss %.2f, %d inside", name, n, misses[n/2], inside)
		}
	}
}

// One batch that was measured tells the others of a model on a GPU better than the rule by itself, with
// nothing of the model known: two thirds of the rule's misses are left at most, in the median, and nine
// in ten are within the interval.
func TestLatenciesThroughOne(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	batch := func(x profile.BatchLatency) generation.Batch {
		a, _ := set.Architecture(x.Model)
		return generation.Batch{Architecture: a, Weights: generation.Half, GPUs: x.GPUs, Sequences: x.Sequences,
			Input: x.Input, Output: x.Output}
	}
	var misses, plain []float64
	inside := 0
	speeds := map[string]*generation.Speeds{}
	for _, x := range set.Latencies {
		if speeds[x.Model] == nil {
			without := *set
			without.Latencies = slices.DeleteFunc(slices.Clone(set.Latencies),
				func(y profile.BatchLatency) bool { return y.Model == x.Model })
			speeds[x.Model] = generation.NewSpeeds(&without)
		}
		g, _ := set.GPUSpec(x.GPU)
		rule, _ := batch(x).Plain(g)
		for _, y := range set.Latencies {
			if x == y || x.Model != y.Model || x.GPU != y.GPU || x.GPUs != y.GPUs {
				continue
			}
			e, _ := speeds[x.Model].Through(batch(x), generation.Probe{Batch: batch(y), Seconds: y.Seconds}, x.GPU)
			there, _ := batch(y).Plain(g)
			misses = append(misses, math.Abs(math.Log(e.Value/x.Seconds)))
			plain = append(plain, math.Abs(math.Log(rule/there*y.Seconds/x.Seconds)))
			if e.Low <= x.Seconds && x.Seconds <= e.High {
				inside++
			}
		}
	}
	slices.Sort(misses)
	slices.Sort(plain)
	n := len(misses)
	t.Logf("%d, median %.3f of %.3f, p90 %.3f of %.3f, inside %d", n, misses[n/2], plain[n/2], misses[n*9/10],
		plain[n*9/10], inside)
	if n < 250 || misses[n/2] > plain[n/2]*2/3 || misses[n*9/10] > plain[n*9/10] || float64(inside) < 0.85*float64(n) {
		t.Errorf("median miss %.3f of %.3f, %d of %d inside", misses[n/2], plain[n/2], inside, n)
	}
}

// Some figures, copied from the source by hand.
func TestLatenciesAreThoseOfTheSource(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Latencies) != 64 {
		t.Errorf("%d latencies", len(set.Latencies))
	}
	for _, want := range []profile.BatchLatency{
		{Model: "llama-2-7b", GPU: "A100-SXM4-40GB", GPUs: 1, Input: 1024, Output: 1024, Sequences: 64, Seconds: 88.28},
		{Model: "llama-3.1-70b", GPU: "H100-SXM5-80GB", GPUs: 4, Input: 128, Output: 128, Sequences: 16, Seconds: 2.751},
	} {
		if !slices.ContainsFunc(set.Latencies, func(x profile.BatchLatency) bool {
			x.Stack, x.Source, x.AsOf = "", "", ""
			return x == want
		}) {
			t.Errorf("%+v is missing", want)
		}
	}
	for _, x := range set.Latencies {
		if x.Source == "" || x.AsOf == "" || x.Stack != "vLLM" {
			t.Errorf("%+v", x)
		}
	}
}
