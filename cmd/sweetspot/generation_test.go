package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/contract"
)

// generations is what rank --json says of a corpus for a language model.
func generations(t *testing.T, words ...string) contract.Ranking {
	t.Helper()
	return ranking(t, append(words, "--model", "llama-3.1-8b", "--mode", "infer", "--units", "10M", "--limit", "all")...)
}

// A corpus is answered on an empty home, with fit, time and dollars, labelled by what they rest on.
func TestRankOfACorpus(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	r := generations(t)
	types, bases := map[string]bool{}, map[string]bool{}
	for _, c := range r.Candidates {
		fit := c.Fit
		if fit == nil || !(fit.Low <= fit.NeedsGiB && fit.NeedsGiB <= fit.High) || c.Time.S == nil || c.Cost.USD == nil ||
			*c.Units != 10e6 || !c.Predicted || c.Accuracy != nil || c.Variant != "unchanged" {
			t.Fatalf("%+v, %+v", c, fit)
		}
		if c.Feasible != (fit.Verdict == "fits") || c.Feasible && fit.High > fit.HasGiB {
			t.Errorf("%s: %+v", c.ID, fit)
		}
		if !(*c.Time.Low < *c.Time.S && *c.Time.S < *c.Time.High) {
			t.Errorf("%s: %+v", c.ID, c.Time)
		}
		if c.Feasible {
			types[*c.Configuration[0].InstanceType], bases[*c.Time.Basis] = true, true
		}
	}
	if len(types) < 5 || len(bases) != 2 || !bases["transferred"] || !bases["spec"] {
		t.Errorf("%d VM types, bases %v", len(types), bases)
	}
	took := map[string]float64{}
	for _, c := range r.Candidates {
		took[*c.Configuration[0].InstanceType] = *c.Time.S
	}
	for _, c := range generations(t, "--output-tokens", "512", "--gpu", "L4,A10G").Candidates {
		if vm := *c.Configuration[0].InstanceType; *c.Time.S < 1.2*took[vm] {
			t.Errorf("%s: as many tokens, of which more are written, take %g s in place of %g s", vm, *c.Time.S, took[vm])
		}
	}
}

// Loads that were measured on a GPU answer for it, and an imported accuracy brings its variant in.
func TestRankOfACorpusFromLoads(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	loads := filepath.Join("..", "..", "data", "imports", "testdata", "vllm-bench")
	accuracy := filepath.Join(t.TempDir(), "accuracy.csv")
	text := "model,mode,precision,metric,accuracy,higher_is_better,basis,source\n" +
		"llama-3.1-8b,infer,fp8,MMLU 5-shot,0.68,true,published,a card\n"
	if err := os.WriteFile(accuracy, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{loads, "--gpu", "L4"}, {accuracy}} {
		if _, _, err := importRuns(t, args...); err != nil {
			t.Fatal(err)
		}
	}
	measured, eight := 0, 0
	for _, c := range generations(t, "--gpu", "L4").Candidates {
		switch {
		case c.Variant == "fp8":
			if eight++; c.Accuracy == nil || c.Accuracy.Metric != "MMLU 5-shot" || *c.Time.Basis != "spec" {
				t.Errorf("%s: %+v, %+v", c.ID, c.Accuracy, c.Time)
			}
		case *c.Time.Basis == "other-batch":
			if measured++; len(c.Sources) != 4 || c.Accuracy != nil {
				t.Errorf("%s: %v", c.ID, c.Sources)
			}
		default:
			t.Errorf("%s: %s", c.ID, *c.Time.Basis)
		}
	}
	if measured == 0 || eight == 0 {
		t.Errorf("%d from loads, %d in fp8", measured, eight)
	}
}

// Batches as large and as long as loads on the GPU are answered by these, between them or as measured, and
// others from a single load by the published figures; where there is none, by the figures alone.
func TestRankOfACorpusByFewLoads(t *testing.T) {
	ask := func(files []string, words ...string) contract.Candidate {
		t.Helper()
		t.Setenv("XDG_DATA_HOME", t.TempDir())
		importLoads(t, "L4", files...)
		for _, c := range generations(t, append(words, "--gpu", "L4")...).Candidates {
			if len(c.Configuration) == 1 && *c.Configuration[0].GPUCount == 1 {
				return c
			}
		}
		t.Fatal("no VM with one L4")
		return contract.Candidate{}
	}
	asMeasured := []string{"--input-tokens", "1024", "--output-tokens", "128", "--batch"}
	spec := ask(nil)
	for name, c := range map[string]struct {
		files   []string
		words   []string
		basis   string
		sources int
		says    string
	}{
		"a load":     {[]string{"8"}, append(asMeasured, "8"), "measured", 1, "measured"},
		"between":    {[]string{"8", "32"}, append(asMeasured, "16"), "other-batch", 2, "between 8, 32 at once"},
		"among many": {[]string{"1", "8", "32"}, append(asMeasured, "16"), "other-batch", 3, "between 1, 8, 32 at once"},
		"one":        {[]string{"8"}, nil, "other-batch", 1, "one load of 8 at once"},
	} {
		got := ask(c.files, c.words...)
		if *got.Time.Basis != c.basis || len(got.Sources) != c.sources || !strings.Contains(*got.Why, c.says) ||
			c.words == nil && *got.Time.S == *spec.Time.S {
			t.Errorf("%s: %s, %v, %+v", name, *got.Why, got.Sources, got.Time)
		}
	}
}

// Of accuracies in two metrics only one is compared, and which is said; all kinds of weights can be asked for.
func TestRankInOneMetric(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	accuracy := filepath.Join(t.TempDir(), "accuracy.csv")
	text := "model,mode,precision,metric,accuracy,higher_is_better,basis,source\n" +
		"llama-3.1-8b,infer,bf16,MMLU 5-shot,0.69,true,published,a card\n" +
		"llama-3.1-8b,infer,fp8,MMLU 5-shot,0.68,true,published,a card\n" +
		"llama-3.1-8b,infer,nf4,perplexity,7.1,false,published,a card\n"
	if err := os.WriteFile(accuracy, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := importRuns(t, accuracy); err != nil {
		t.Fatal(err)
	}
	for metric, want := range map[string]string{"": "fp8 unchanged", "PERPLEXITY": "nf4"} {
		flags := []string{"--gpu", "L4"}
		if metric != "" {
			flags = append(flags, "--metric", metric)
		}
		r := generations(t, flags...)
		with := map[string]bool{}
		for _, c := range r.Candidates {
			if a := c.Accuracy; a != nil {
				with[c.Variant] = true
				if a.HigherIsBetter != (metric == "") || a.Low != a.Value || a.High != a.Value {
					t.Errorf("%s: %+v", c.ID, a)
				}
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(with)), " "); got != want {
			t.Errorf("in %q: %s", metric, got)
		}
		if notes := strings.Join(r.Warnings, "\n"); !strings.Contains(notes, "--metric chooses") ||
			!strings.Contains(notes, "weights in ") {
			t.Errorf("in %q: %s", metric, notes)
		}
	}
	seen := map[string]bool{}
	for _, c := range generations(t, "--gpu", "A100", "--variant", "int8,INT4,nf4,unchanged").Candidates {
		if seen[c.Variant] = true; !(*c.Time.Low < *c.Time.S) {
			t.Errorf("%s: %+v", c.ID, c.Time)
		}
	}
	if len(seen) != 4 {
		t.Errorf("ranked %v", seen)
	}
}

func TestRankOfACorpusRefuses(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for flags, says := range map[string]string{
		"--mode infer --input-tokens 0.5":  "whole number",
		"--mode infer --output-tokens 99M": "write a number of tokens",
		"--mode train --input-tokens 5":    "belongs to the inference",
		"--mode infer --predicted=false":   "leave it out",
		"--mode infer --batch 4,8":         "one number of requests",
		"--mode infer --variant q4_k":      "write bf16, fp8, int8, int4",
		"--mode infer --metric MMLU":       "no accuracy is known",
	} {
		_, _, err := execute(t, append([]string{"rank", "--model", "llama-3.1-8b"}, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", flags, err)
		}
	}
}
