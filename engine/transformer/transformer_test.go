package transformer_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/transformer"
)

var (
	llama7b = transformer.Architecture{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadSize: 128,
		Intermediate: 11008, Vocabulary: 32000, NormsOfLayer: 2}
	llama70b = transformer.Architecture{Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, HeadSize: 128,
		Intermediate: 28672, Vocabulary: 32000, NormsOfLayer: 2}
	mixtral = transformer.Architecture{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadSize: 128,
		Intermediate: 14336, Vocabulary: 32000, NormsOfLayer: 2, Experts: 8, ExpertsOfToken: 2}
)

func TestFLOPs(t *testing.T) {
	a := llama7b
	full := transformer.DefaultTuning(transformer.Full)
	full.Checkpointing = transformer.Never
	p := a.Params()
	// 6 operations for each parameter that multiplies, and 6·layers·width·sequence between
	// tokens that look back (Narayanan et al. 2021, appendix; half of it, for none looks ahead).
	want := 6*(p.Linear+p.Head) + 6*32*4096*2048
	if got := full.FLOPs(a); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("full: %g, want %g", got, want)
	}
	lora := transformer.DefaultTuning(transformer.LoRA)
	lora.Checkpointing = transformer.Never
	if ratio := lora.FLOPs(a) / full.FLOPs(a); ratio < 2.0/3 || ratio > 0.72 {
		t.Errorf("LoRA takes %g of a full fine-tune", ratio)
	}
	full.Checkpointing = transformer.Always
	if ratio := full.FLOPs(a) / want; ratio < 1.3 || ratio > 4.0/3 {
		t.Errorf("checkpointing takes %g as many", ratio)
	}
}

// Keys and values of Llama 2 70B take 320 KiB of a token in 16 bits: 80 layers, 8 heads of
// 128, twice.
func TestKVCache(t *testing.T) {
	if got := llama70b.KVCacheBytes(2); got != 320<<10 {
		t.Errorf("%g", got)
	}
}

// LoRA on everything learns more than on less of it, and all methods take work.
func TestTrainable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom([]transformer.Architecture{llama7b, llama70b, mixtral}).Draw(t, "architecture")
		some := transformer.DefaultTuning(transformer.LoRA)
		some.Rank = rapid.IntRange(1, 256).Draw(t, "rank")
		all := some
		some.Targets = rapid.SliceOfNDistinct(rapid.SampledFrom(transformer.AllTargets()), 1, 6, rapid.ID).Draw(t, "targets")
		if err := some.Check(); err != nil {
			t.Fatal(err)
		}
		if n, m := some.Trainable(a), all.Trainable(a); !(n > 0 && n < m) {
			t.Fatalf("%v: %g of %g", some.Targets, n, m)
		}
		if some.FLOPs(a) >= all.FLOPs(a) || all.FLOPs(a) <= 0 {
			t.Fatal("more matrices take no more work")
		}
	})
}

func TestCheck(t *testing.T) {
	for want, change := range map[string]func(t *transformer.Tuning){
		"":                                  func(*transformer.Tuning) {},
		`tuning "lorax" is not one of full`: func(t *transformer.Tuning) { t.Method = "lorax" },
		"lora-rank 0":                       func(t *transformer.Tuning) { t.Rank = 0 },
		"lora-rank 5000":                    func(t *transformer.Tuning) { t.Rank = 5000 },
		"sequence 0":                        func(t *transformer.Tuning) { t.Sequence = 0 },
		"sequence 99999999":                 func(t *transformer.Tuning) { t.Sequence = 99999999 },
		`optimizer "lion"`:                  func(t *transformer.Tuning) { t.Optimizer = "lion" },
		`weights-in "fp8"`:                  func(t *transformer.Tuning) { t.Weights = "fp8" },
		`sharding "zero4"`:                  func(t *transformer.Tuning) { t.Sharding = "zero4" },
		`lora-targets "lm_head" is not one`: func(t *transformer.Tuning) { t.Targets = []string{"lm_head"} },
		"a full fine-tune has none": func(t *transformer.Tuning) {
			t.Method, t.Targets = transformer.Full, []string{"q_proj"}
		},
	} {
		way := transformer.DefaultTuning(transformer.LoRA)
		change(&way)
		err := way.Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func ExampleTuning_Trainable() {
	llama := transformer.Architecture{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadSize: 128, Intermediate: 14336,
		Vocabulary: 128256, NormsOfLayer: 2}
	lora := transformer.DefaultTuning(transformer.LoRA)
	fmt.Printf("%.0f of %.0f parameters learn\n", lora.Trainable(llama), llama.Params().Total())
	// Output: 41943040 of 8030261248 parameters learn
}
