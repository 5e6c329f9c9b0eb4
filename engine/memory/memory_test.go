package memory_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/memory"
	"sweetspot/engine/transformer"
)

var networks = map[string]transformer.Architecture{
	"llama-2-7b":   llama(32, 4096, 32, 32, 11008, 32000),
	"llama-2-13b":  llama(40, 5120, 40, 40, 13824, 32000),
	"llama-2-70b":  llama(80, 8192, 64, 8, 28672, 32000),
	"llama-3.1-8b": llama(32, 4096, 32, 8, 14336, 128256),
	"qwen-7b":      llama(32, 4096, 32, 32, 11008, 151936),
	"qwen-14b":     llama(40, 5120, 40, 40, 13696, 152064),
	"qwen-72b":     llama(80, 8192, 64, 64, 24576, 152064),
	"mixtral":      experts(llama(32, 4096, 32, 8, 14336, 32000)),
}

func llama(layers, hidden, heads, kv, intermediate, vocabulary int) transformer.Architecture {
	return transformer.Architecture{Layers: layers, Hidden: hidden, Heads: heads, KVHeads: kv, HeadSize: hidden / heads,
		Intermediate: intermediate, Vocabulary: vocabulary, NormsOfLayer: 2, MaxPositions: 8192}
}

func again(checkpointing bool) transformer.Checkpointing {
	if checkpointing {
		return transformer.Always
	}
	return transformer.Never
}

func experts(a transformer.Architecture) transformer.Architecture {
	a.Experts, a.ExpertsOfToken, a.HeadNorms, a.Softcapped = 8, 2, true, true
	return a
}

// peak is one that others measured and published, in bytes.
type peak struct {
	job      memory.Job
	measured float64
	source   string
}

const (
	litgpt = "LitGPT tutorials/resource-tables.md, 2023-10: Max GPU RAM on an A100 40 GB, 1304 tokens"
	qwen   = "Qwen README.md, Profiling of Memory and Speed: one A100 80 GB, batch 1, rank 64"
	tune   = "torchtune README.md, 2024-09: batch 2, 2048 tokens"
)

// publishedPeaks are all of them. Those of torchtune are of a compiled network with a loss in
// chunks, which may need less than is counted on.
func publishedPeaks() (peaks []peak) {
	qv, all := []string{"q_proj", "v_proj"}, []string(nil)
	for _, c := range []struct {
		model    string
		method   transformer.Method
		rank     int
		targets  []string
		tokens   int
		batch    int
		again    bool // checkpointing
		gpus     int
		measured float64
		source   string
	}{
		{"llama-2-7b", transformer.LoRA, 8, qv, 1304, 1, false, 1, 21.30e9, litgpt},
		{"llama-2-7b", transformer.LoRA, 8, qv, 1304, 2, false, 1, 29.07e9, litgpt},
		{"llama-2-7b", transformer.QLoRA, 8, qv, 1304, 1, false, 1, 13.84e9, litgpt},
		{"llama-2-13b", transformer.LoRA, 8, qv, 1304, 1, false, 1, 38.12e9, litgpt},
		{"llama-2-13b", transformer.QLoRA, 8, qv, 1304, 1, false, 1, 22.55e9, litgpt},
		{"qwen-7b", transformer.LoRA, 64, all, 256, 1, true, 1, 20.1e9, qwen},
		{"qwen-7b", transformer.LoRA, 64, all, 2048, 1, true, 1, 23.8e9, qwen},
		{"qwen-7b", transformer.LoRA, 64, all, 8192, 1, true, 1, 36.6e9, qwen},
		{"qwen-14b", transformer.LoRA, 64, all, 2048, 1, true, 1, 37.4e9, qwen},
		{"qwen-14b", transformer.LoRA, 64, all, 8192, 1, true, 1, 55.2e9, qwen},
		{"qwen-7b", transformer.QLoRA, 64, all, 2048, 1, true, 1, 13.9e9, qwen},
		{"qwen-14b", transformer.QLoRA, 64, all, 2048, 1, true, 1, 19.9e9, qwen},
		{"qwen-72b", transformer.QLoRA, 64, all, 2048, 1, true, 1, 64.1e9, qwen},
		{"qwen-7b", transformer.Full, 0, nil, 256, 1, true, 2, 139.2e9 / 2, qwen},
		{"qwen-7b", transformer.Full, 0, nil, 1024, 1, true, 2, 162e9 / 2, qwen},
		{"qwen-72b", transformer.LoRA, 64, all, 2048, 1, true, 4, 228.8e9 / 4, qwen},
		{"qwen-72b", transformer.LoRA, 64, all, 8192, 1, true, 4, 289.2e9 / 4, qwen},
		{"llama-3.1-8b", transformer.LoRA, 8, all, 2048, 2, true, 1, 16.2 * memory.GiB, tune},
		{"llama-3.1-8b", transformer.QLoRA, 8, all, 2048, 2, true, 1, 7.4 * memory.GiB, tune},
	} {
		way := transformer.DefaultTuning(c.method)
		way.Rank, way.Targets, way.Sequence, way.Checkpointing = c.rank, c.targets, c.tokens, again(c.again)
		a := networks[c.model]
		a.Name = c.model
		peaks = append(peaks, peak{memory.Job{Architecture: a, Tuning: way, GPUs: c.gpus, MicroBatch: c.batch,
			Accumulates: c.source == qwen}, c.measured, c.source})
	}
	return peaks
}

func TestPublishedPeaks(t *testing.T) {
	var misses []float64
	for _, p := range publishedPeaks() {
		n := memory.Of(p.job)
		if p.measured > n.Total.High || p.measured < n.Total.Low && p.source != tune {
			t.Errorf("%s %s, %d tokens: %.1f GiB measured (%s), not %.1f (%.1f … %.1f)", p.job.Architecture.Name,
				p.job.Tuning.Method, p.job.Tuning.Sequence, p.measured/memory.GiB, p.source, n.Total.Value/memory.GiB,
				n.Total.Low/memory.GiB, n.Total.High/memory.GiB)
		}
		if p.source != tune {
			misses = append(misses, math.Abs(n.Total.Value/p.measured-1))
		}
	}
	slices.Sort(misses)
	if median := misses[len(misses)/2]; median > 0.05 {
		t.Errorf("the median of %d published peaks is missed by %.0f %%", len(misses), 100*median)
	}
}

// What is commonly known: 16 bytes for each parameter with AdamW in mixed precision
// (Rajbhandari et al. 2020, ZeRO, section 3.1), before activations.
func TestKnownNeeds(t *testing.T) {
	of := func(model string, way transformer.Tuning) map[string]float64 {
		parts := map[string]float64{}
		for _, p := range memory.Of(memory.Job{Architecture: networks[model], Tuning: way, GPUs: 1, MicroBatch: 1}).Parts {
			parts[p.Name] = p.Value
		}
		return parts
	}
	full := of("llama-3.1-8b", transformer.DefaultTuning(transformer.Full))
	if sum := full["weights"] + full["gradients"] + full["optimizer"]; sum != 16*8030261248 {
		t.Errorf("%g GB for a full fine-tune of 8B", sum/1e9)
	}
	lora := transformer.DefaultTuning(transformer.LoRA)
	a := networks["llama-3.1-8b"]
	if n := lora.Trainable(a); n != 41943040 { // as PEFT prints for rank 16 on all linear modules
		t.Errorf("%.0f parameters of LoRA", n)
	}
	if w := of("llama-3.1-8b", lora)["weights"]; w != 2*8030261248+4*41943040 {
		t.Errorf("%g bytes of weights", w)
	}
	beside := lora
	beside.Frozen32 = true
	if w := of("llama-3.1-8b", beside)["weights"]; w != 4*8030261248+4*41943040 {
		t.Errorf("%g bytes of weights, the base in 32 bits", w)
	}
	// 65B in 4 bits with LoRA fits 48 GB (Dettmers et al. 2023, QLoRA, abstract): here 70B.
	if w := of("llama-2-70b", transformer.DefaultTuning(transformer.QLoRA))["weights"]; w < 34e9 || w > 38e9 {
		t.Errorf("%g GB of weights in 4 bits", w/1e9)
	}
}

var jobs = rapid.Custom(func(t *rapid.T) memory.Job {
	way := transformer.DefaultTuning(rapid.SampledFrom([]transformer.Method{transformer.Full, transformer.LoRA,
		transformer.QLoRA}).Draw(t, "method"))
	way.Optimizer = rapid.SampledFrom([]transformer.Optimizer{transformer.AdamW, transformer.AdamW8bit,
		transformer.Adafactor, transformer.SGD}).Draw(t, "optimizer")
	way.Weights = rapid.SampledFrom([]transformer.Weights{transformer.Mixed, transformer.Half}).Draw(t, "weights")
	way.Sharding = rapid.SampledFrom([]transformer.Sharding{transformer.None, transformer.Zero1, transformer.Zero2,
		transformer.Zero3}).Draw(t, "sharding")
	way.Checkpointing = again(rapid.Bool().Draw(t, "checkpointing"))
	way.Sequence = rapid.IntRange(1, 1<<16).Draw(t, "sequence")
	way.Rank = rapid.IntRange(1, 256).Draw(t, "rank")
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(networks))).Draw(t, "network")
	return memory.Job{Architecture: networks[name], Tuning: way,
		GPUs: rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "gpus"), MicroBatch: rapid.IntRange(1, 64).Draw(t, "batch"),
		Accumulates: rapid.Bool().Draw(t, "accumulates")}
})

// More work needs no less, thrift no more, and the parts add up to no less than the peak.
func TestNeedsFollowTheWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := jobs.Draw(t, "job")
		total := func(j memory.Job) [3]float64 {
			e := memory.Of(j).Total
			return [3]float64{e.Low, e.Value, e.High}
		}
		n := memory.Of(j)
		sum := 0.0
		for _, p := range n.Parts {
			if !(p.Low >= 0 && p.Low <= p.Value && p.Value <= p.High) {
				t.Fatalf("%+v", p)
			}
			sum += p.Value
		}
		if e := n.Total; !(e.Low > 0 && e.Low <= e.Value && e.Value <= e.High) || e.Value > 1.0001*sum {
			t.Fatalf("%+v, parts %g", e, sum)
		}
		more := map[string]func(j *memory.Job){
			"a larger batch": func(j *memory.Job) { j.MicroBatch *= 2 },
			"longer":         func(j *memory.Job) { j.Tuning.Sequence *= 2 },
			"without":        func(j *memory.Job) { j.Tuning.Checkpointing = transformer.Never },
			"a higher rank":  func(j *memory.Job) { j.Tuning.Rank *= 2 },
			"with sums":      func(j *memory.Job) { j.Accumulates = true },
			"base in fp32":   func(j *memory.Job) { j.Tuning.Frozen32 = true },
		}
		for name, change := range more {
			with, from := j, j
			if name == "without" {
				from.Tuning.Checkpointing = transformer.Always
			}
			change(&with)
			a, b := total(from), total(with)
			for k := range a {
				if b[k] < a[k]*(1-1e-9) {
					t.Fatalf("%s: %v, then %v", name, a, b)
				}
			}
		}
	})
}

// The largest that fits does, and one more does not; what would fit does.
func TestLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := jobs.Draw(t, "job")
		has := rapid.Float64Range(1, 200).Draw(t, "GiB") * memory.GiB
		fits := func(j memory.Job) bool { return memory.Of(j).Judge(has) == memory.Fits }
		if n := memory.LargestBatch(j, has); n > 0 && n < 4096 {
			j.MicroBatch = n
			if !fits(j) {
				t.Fatalf("%d sequences do not fit", n)
			}
			if j.MicroBatch++; fits(j) {
				t.Fatalf("%d sequences fit too", n+1)
			}
		} else if j.MicroBatch = 1; n == 0 && fits(j) {
			t.Fatal("one sequence fits")
		}
		j.MicroBatch = 1
		if n := memory.LargestSequence(j, has); n > 0 && n < j.Architecture.MaxPositions {
			if j.Tuning.Sequence = n; !fits(j) {
				t.Fatalf("%d tokens do not fit", n)
			}
			if j.Tuning.Sequence++; fits(j) {
				t.Fatalf("%d tokens fit too", n+1)
			}
		}
	})
}

func TestWouldFit(t *testing.T) {
	of := func(method transformer.Method, gib float64, checkpointing bool) string {
		way := transformer.DefaultTuning(method)
		way.Checkpointing, way.Sharding = again(checkpointing), transformer.None
		j := memory.Job{Architecture: networks["llama-3.1-8b"], Tuning: way, GPUs: 1}
		return strings.Join(memory.WouldFit(j, gib*memory.GiB), "; ")
	}
	for _, c := range []struct {
		method transformer.Method
		gib    float64
		again  bool
		want   string
	}{
		{transformer.LoRA, 30, false, "checkpointing; sequences of 974 tokens"},
		{transformer.LoRA, 16, true, "QLoRA; 16 such GPUs with ZeRO-3 or FSDP"},
		{transformer.Full, 80, true, "LoRA; QLoRA; 4 such GPUs with ZeRO-3 or FSDP"},
		{transformer.QLoRA, 4, true, ""},
	} {
		if got := of(c.method, c.gib, c.again); got != c.want {
			t.Errorf("%s on %g GiB: %q, want %q", c.method, c.gib, got, c.want)
		}
	}
}
