package frameworks

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A fine-tune script that is probed, unchanged, leads to a ranking of GPUs with fit, time and
// dollars, for all the tokens that it trains on, without a word of how it trains.
func TestFineTuneToRanking(t *testing.T) {
	python := filepath.Join(environments(t), "new", "bin", "python")
	db, home := filepath.Join(t.TempDir(), "profiles.db"), t.TempDir()
	sweetspot := func(answer any, words ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), binary, append(words, "--db", db, "--json")...)
		if words[0] == "probe" { // its own flags stand before the command
			file, err := filepath.Abs(filepath.Join("scripts", words[1]))
			if err != nil {
				t.Fatal(err)
			}
			cmd = exec.CommandContext(t.Context(), binary, "probe", "--db", db, "--json", "--", python, file)
		}
		cmd.Env = append(os.Environ(), "HOME="+home)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v, %s", words, err, said.String())
		}
		if err := json.Unmarshal(out, answer); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
	}
	type tuning struct {
		Method          string
		Rank            int      `json:"lora_rank"`
		Targets         []string `json:"lora_targets"`
		Sequence        float64
		Optimizer       string
		Checkpointing   any
		TokensPerStep   float64 `json:"tokens_per_step"`
		TokensPerSecond float64 `json:"tokens_per_second"`
	}
	var probe struct{ Run struct{ Tuning tuning } }
	sweetspot(&probe, "probe", "transformers_lora.py")
	if got := probe.Run.Tuning; got.Method != "lora" || got.Rank != 8 || !(got.TokensPerSecond > 0) {
		t.Errorf("probed: %+v", got)
	}
	type ranking struct {
		Query struct {
			Units  float64
			Tuning tuning
		}
		Candidates []struct {
			Feasible      bool
			Predicted     bool
			Configuration []struct {
				InstanceType *string `json:"instance_type"`
			}
			Time struct{ S, Low, High *float64 }
			Cost struct{ USD *float64 }
			Fit  *struct {
				Verdict string
				High    float64
				HasGiB  float64 `json:"has_gib"`
			}
		}
	}
	var ranked ranking
	sweetspot(&ranked, "rank", "--model", "transformers_lora", "--limit", "all")
	q := ranked.Query
	// 3 sequences at once, of 20 and of 32 tokens, twice a step; the probe may have ended before all were seen.
	if steps := 60.0; q.Units < 140*steps || q.Units > 165*steps || q.Tuning.Method != "lora" || q.Tuning.Rank != 8 ||
		q.Tuning.Sequence != 32 || q.Tuning.Optimizer != "adamw" || q.Tuning.Checkpointing != "on" ||
		strings.Join(q.Tuning.Targets, " ") != "down_proj q_proj v_proj" {
		t.Errorf("asked: %+v", q)
	}
	types := map[string]bool{}
	for _, c := range ranked.Candidates {
		if c.Predicted && c.Feasible && c.Fit != nil && c.Fit.Verdict == "fits" && c.Fit.High <= c.Fit.HasGiB &&
			c.Cost.USD != nil && *c.Cost.USD > 0 && c.Time.S != nil && *c.Time.Low < *c.Time.S && *c.Time.S < *c.Time.High {
			types[*c.Configuration[0].InstanceType] = true
		}
	}
	if len(types) < 5 {
		t.Errorf("%d VM types with fit, time and dollars of %d candidates", len(types), len(ranked.Candidates))
	}
	var other ranking
	sweetspot(&other, "rank", "--model", "transformers_lora", "--tuning", "qlora", "--units", "1M")
	if other.Query.Units != 1e6 || other.Query.Tuning.Method != "qlora" || other.Query.Tuning.Rank != 8 {
		t.Errorf("asked for otherwise: %+v", other.Query)
	}
}
