package library

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/architecture"
	"sweetspot/engine/estimate"
	"sweetspot/engine/finetune"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
)

// What each stack did on a GPU is predicted from all others, nine in ten times within the
// interval and by the median within a factor of 1.5.
func TestThroughputsLeftOut(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var misses []float64
	inside := 0
	for _, x := range set.Throughputs {
		a, known := set.Architecture(x.Model)
		if !known {
			continue
		}
		without := *set
		without.Throughputs = slices.DeleteFunc(slices.Clone(set.Throughputs), func(y profile.Throughput) bool {
			return y.Stack == x.Stack && y.GPU == x.GPU
		})
		times := 1
		if x.Stack == finetune.Plain { // their steps were of eight micro-batches
			times = 8
		}
		j := memory.Job{Architecture: a, Tuning: x.Tuning, GPUs: x.GPUs, MicroBatch: x.MicroBatch}
		step, why := finetune.NewSpeeds(&without).Step(j, times, x.GPU)
		if !step.Known() || why == "" || step.Basis < estimate.Transferred {
			t.Fatalf("%+v: %+v, %q", x, step, why)
		}
		real := float64(times*x.GPUs*x.MicroBatch*x.Tuning.Sequence) / x.TokensPerS
		misses = append(misses, math.Abs(math.Log(step.Value/real)))
		if step.Low <= real && real <= step.High {
			inside++
		}
	}
	slices.Sort(misses)
	if n := len(misses); n < 20 || float64(inside) < 0.9*float64(n) || misses[n/2] > math.Log(1.5) {
		t.Errorf("%d of %d inside, median miss ×%.2f", inside, n, math.Exp(misses[n/2]))
	}
}

// A fine-tune of Llama 3.1 8B with LoRA at sequences of 2,048 does some thousands of tokens a
// second on an A100, fewer on smaller GPUs, and a GPU without tensor cores is left out.
func TestKnownSpeeds(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	speeds := finetune.NewSpeeds(set)
	j := memory.Job{GPUs: 1, MicroBatch: 2}
	j.Architecture, _ = set.Architecture("LLAMA-3.1-8B")
	j.Tuning = set.Throughputs[0].Tuning
	j.Tuning.Sequence = 2048
	last := math.Inf(1)
	for _, c := range []struct {
		gpu       string
		low, high float64
		basis     estimate.Basis
	}{
		{"H100-SXM5-80GB", 7000, 20000, estimate.Transferred}, {"A100-SXM4-80GB", 3000, 7000, estimate.Transferred},
		{"L4", 500, 2000, estimate.Spec}, {"T4", 200, 900, estimate.Spec},
	} {
		step, _ := speeds.Step(j, 1, c.gpu)
		rate := 2 * 2048 / step.Value
		if rate < c.low || rate > c.high || step.Basis != c.basis || rate > last {
			t.Errorf("%s: %.0f tokens/s, %+v", c.gpu, rate, step)
		}
		last = rate
	}
	for _, gpu := range []string{"K80", "P100-PCIE-16GB", "no such GPU", ""} {
		if step, _ := speeds.Step(j, 1, gpu); step.Known() {
			t.Errorf("%q: %+v", gpu, step)
		}
	}
}

func TestBadThroughputs(t *testing.T) {
	const head = "model,method,sequence,micro_batch,gpu,gpus,tokens_per_s,of_peak,stack,source,as_of\n"
	for row, want := range map[string]string{
		"llama-2-7b,lora,2048,1,L4,1,100,,x,s,2024":   "",
		"nosuch,lora,2048,1,L4,1,100,,x,s,2024":       "no architecture",
		"nosuch,full,2048,1,L4,1,100,1.5,x,s,2024":    "no fraction",
		"llama-2-7b,wrong,2048,1,L4,1,100,,x,s,2024":  "not one of",
		"llama-2-7b,lora,2048,1,L4,1,,,x,s,2024":      "tokens a second",
		"llama-2-7b,lora,2048,1,L4,1,-4,,x,s,2024":    "-4",
		"llama-2-7b,lora,0,1,L4,1,100,,x,s,2024":      "sequence 0",
		"llama-2-7b,lora,2048,1,L4,1,100,,x,,2024":    "is empty",
		"llama-2-7b,lora,2048,1,L4,NaN,100,,x,s,2024": "NaN",
		"llama-2-7b,lora,2048,1.5,L4,1,100,,x,s,2024": "whole number",
	} {
		_, err := readThroughputs(strings.NewReader(head+row+"\n"), architecture.Builtin())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", row, err)
		}
	}
}
