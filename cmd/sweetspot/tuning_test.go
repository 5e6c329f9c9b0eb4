package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/contract"
)

// tunings is what rank --json says of the training of a language model.
func tunings(t *testing.T, words ...string) contract.Ranking {
	t.Helper()
	return ranking(t, append(words, "--mode", "train")...)
}

// A fine-tune of a known language model is answered on an empty home, with fit, time and
// dollars, labelled by what they rest on.
func TestRankOfALanguageModel(t *testing.T) {
	r := tunings(t, "--model", "llama-3.1-8b", "--tuning", "lora", "--units", "10M", "--limit", "all")
	types, bases := map[string]bool{}, map[string]bool{}
	for _, c := range r.Candidates {
		fit := c.Fit
		if fit == nil || fit.Verdict == "" || !(fit.Low <= fit.NeedsGiB && fit.NeedsGiB <= fit.High) || c.Time.S == nil ||
			c.Cost.USD == nil || c.Why == nil || *c.Units != 10e6 || !c.Predicted {
			t.Fatalf("%+v, %+v", c, fit)
		}
		if c.Feasible != (fit.Verdict == "fits") || c.Feasible && fit.High > fit.HasGiB {
			t.Errorf("%s: %+v", c.ID, fit)
		}
		if v := c.Violates; !c.Feasible && (len(v) != 1 || v[0].Constraint != "gpu_memory" || *v[0].Value != fit.High) {
			t.Errorf("%s: %+v", c.ID, c.Violates)
		}
		if c.Feasible {
			types[*c.Configuration[0].InstanceType], bases[*c.Time.Basis] = true, true
		}
	}
	if len(types) < 5 || len(bases) != 2 || !bases["transferred"] || !bases["spec"] {
		t.Errorf("%d VM types, bases %v", len(types), bases)
	}
}

// A loss that published trainings reached decides the tokens, and their spread is in time and cost.
func TestRankToALoss(t *testing.T) {
	asked := []string{"--model", "llama-2-70b", "--batch", "8", "--sequence", "8192", "--limit", "all"}
	to := tunings(t, append(asked, "--target-loss", "0.925")...)
	tokens := map[string]*contract.ToLoss{}
	for _, c := range to.Candidates {
		l := c.ToLoss
		if l == nil || !(*l.Low < *l.Value && *l.Value < *l.High) || *l.Basis != "published" || *c.Units != *l.Value ||
			!strings.Contains(l.Why, "GovReport") || c.Fit == nil {
			t.Fatalf("%+v, %+v", c, l)
		}
		tokens[c.ID] = l
	}
	if !strings.Contains(strings.Join(to.Warnings, "\n"), "tokens to the loss (90 %") {
		t.Error(to.Warnings)
	}
	as := tunings(t, append(asked, "--units", "25165824")...)
	for _, c := range as.Candidates {
		if c.ToLoss != nil || tokens[c.ID] == nil || *tokens[c.ID].Value != 25165824 {
			t.Fatalf("%s: %+v", c.ID, tokens[c.ID])
		}
	}
	if to.Total != as.Total || to.Total == 0 {
		t.Errorf("%d candidates to the loss, %d for as many tokens", to.Total, as.Total)
	}
	for flags, says := range map[string]string{
		"--model llama-2-70b --target-loss 0.9":               "the lowest is 0.925",
		"--model llama-2-70b --target-loss 0.93":              "known to a loss of 0.925 alone",
		"--model llama-3.1-8b --target-loss 1":                "has shown a validation loss",
		"--model llama-2-70b --target-loss 0.925 --units 1M":  "exclude each other",
		"--model llama-2-70b --target-loss 0":                 "is no loss",
		"--model ImageNet-1k --target-loss 1":                 "--target-loss: of",
		"--model llama-2-70b --target-loss 1 --mode infer":    "--target-loss belongs to training",
		"--model llama-2-70b --target-loss 0.925 --epochs 10": "in place of --epochs",
	} {
		_, _, err := execute(t, append([]string{"rank"}, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", flags, err)
		}
	}
}

// The same of a config.json, whose folder names the model.
func TestRankOfAConfiguration(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "ours")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,` +
		`"num_hidden_layers":32,"num_key_value_heads":8,"vocab_size":128256}`
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	known := tunings(t, "--model", "llama-3.1-8b", "--tuning", "qlora", "--units", "1M")
	own := tunings(t, "--model", folder, "--tuning", "qlora", "--units", "1M")
	if own.Candidates[0].Model != "ours" || *own.Candidates[0].Time.S != *known.Candidates[0].Time.S {
		t.Errorf("%+v, %+v", own.Candidates[0], known.Candidates[0])
	}
}

// VM types that cannot share out a batch are left out, and that is said.
func TestRankSaysWhichBatchesAreUneven(t *testing.T) {
	r := tunings(t, "--model", "llama-3.1-8b", "--batch", "3,4", "--gpu", "L4")
	const want = "left out at batch 3: the number of GPUs does not divide it"
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
		t.Errorf("%q", r.Warnings)
	}
}

// A folder is not read in place of the model of the database that has its name.
func TestRankBesideAFolderOfTheModelsName(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("CaffeNet", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("CaffeNet", "config.json"), []byte(`{"model_type":"caffe"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := ranking(t, "--model", "CaffeNet"); len(r.Candidates) == 0 || r.Candidates[0].Model != "CaffeNet" {
		t.Errorf("%+v", r.Query)
	}
}

// Each flag of the tuning changes what is needed.
func TestTuningFlags(t *testing.T) {
	need := func(args ...string) contract.Fit {
		t.Helper()
		r := tunings(t, slices.Concat([]string{"--model", "llama-3.2-1b", "--gpu", "L4", "--limit", "all"}, args)...)
		for _, c := range r.Candidates {
			if *c.Configuration[0].InstanceType == "g6.xlarge" {
				return *c.Fit
			}
		}
		t.Fatalf("no g6.xlarge with %v", args)
		return contract.Fit{}
	}
	plain := need("--batch", "4")
	for _, args := range []string{"--tuning full", "--tuning qlora", "--lora-rank 64", "--lora-targets q_proj,v_proj",
		"--sequence 4k", "--checkpointing on", "--optimizer sgd", "--weights-in half"} {
		if got := need(append(strings.Fields(args), "--batch", "4")...); got.NeedsGiB == plain.NeedsGiB {
			t.Errorf("%s needs the same, %g GiB", args, got.NeedsGiB)
		}
	}
}

func TestTuningRefused(t *testing.T) {
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"--model llama-3.1-8b --tuning lorax", "is not full, lora or qlora", exitUsage},
		{"--model llama-3.1-8b --weights-in fp8", `--weights-in: "fp8" is not mixed, half or single`, exitUsage},
		{"--model llama-3.1-8b --tuning lora --epochs 3", "use --units in place of --epochs", exitUsage},
		{"--model llama-3.1-8b --train-size 1000", "use --units in place of", exitUsage},
		{"--model llama-3.1-8b --batch 999999937", "from 1 to 1048576", exitUsage},
		{"--model llama-3.1-8b --predicted=false", "is predicted", exitUsage},
		{"--model llama-3.1-8b --tuning lora --mode infer", "belongs to training", exitUsage},
		{"--model llama-3.1-8b --lora-rank 0", "no rank", exitUsage},
		{"--model llama-3.1-8b --sequence NaN", "sequence", exitUsage},
		{"--model llama-3.1-8b --tuning full --lora-rank 8", "full fine-tune has none", exitUsage},
		{"--model nosuch --tuning lora", "no architecture is known", exitUsage},
		{"--tuning lora", "need --model", exitUsage},
		{"--model /nowhere/config.json --tuning lora", "no such file", exitFailed},
		{"--model llama-3.1-8b --batch 7 --gpu B200", "divide the batch evenly, but none matches; loosen --batch or --gpu",
			exitInfeasible},
		{"--model llama-3.1-405b --tuning full --gpu T4 --units 1M", "none fits in the GPU's memory", exitInfeasible},
	} {
		_, _, err := execute(t, append([]string{"rank"}, strings.Fields(c.args)...)...)
		var exit exitError
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &exit) && exit.code != c.code ||
			exit.code == 0 && c.code == exitInfeasible {
			t.Errorf("%s: %v (%d), want %q", c.args, err, exit.code, c.want)
		}
	}
}
