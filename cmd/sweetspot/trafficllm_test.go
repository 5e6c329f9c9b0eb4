package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/contract"
	"sweetspot/engine/batching"
)

// llmLog writes the log of a server with known step times.
func llmLog(t *testing.T, s batching.Server, perSecond float64) string {
	t.Helper()
	requests := batching.Synthetic(batching.Lengths{Input: 400, Output: 100, Spread: 0.5}, 120, perSecond, 7)
	out, err := batching.Simulate(requests, s)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&b, `{"arrival_s":%g,"input_tokens":%d,"output_tokens":%d,"first_token_s":%g,"last_token_s":%g}`+"\n",
			r.ArrivalS, r.Input, r.Output, out.Served[i].FirstS, out.Served[i].LastS)
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A light load's log tells what the server holds under a heavy one.
func TestTrafficLLM(t *testing.T) {
	server := batching.Server{Times: batching.Times{StepS: 0.012, PromptS: 5e-5, PairS: 1e-10, SequenceS: 1e-4,
		ContextS: 1e-7},
		Settings: batching.Settings{MaxSequences: 256, TokenBudget: 2048, CacheTokens: 1 << 30}}
	text, _, err := execute(t, "traffic", "llm", "--log", llmLog(t, server, 3), "--slo-ttft", "500ms", "--slo-tpot", "30ms",
		"--vm-price", "3.6", "--api-input", "0.1", "--api-output", "0.4", "--token-budget", "2048", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got contract.LLM
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	requests := batching.Synthetic(batching.Lengths{Input: 400, Output: 100, Spread: 0.5}, 120, 3, 7)
	_, truth, err := batching.Most(requests, server, batching.Limits{TTFTS: 0.5, TPOTS: 0.03, Share: 0.99})
	if err != nil {
		t.Fatal(err)
	}
	if got.MostPerSecond.Value == nil || math.Abs(*got.MostPerSecond.Value/truth.PerSecond-1) > 0.15 {
		t.Errorf("it holds %v requests/s, really %g", got.MostPerSecond.Value, truth.PerSecond)
	}
	if m := got.MostPerSecond; m.Low == nil || !(*m.Low < *m.Value && *m.Value < *m.High) {
		t.Errorf("most load %+v", m)
	}
	if !got.Keeps || got.Load.Replicas != 1 || len(got.Costs) != 1 || got.API == nil || len(got.Advice) != 4 {
		t.Errorf("%+v", got)
	}
	if cost := got.Costs[0]; cost.Input == nil || math.Abs(*cost.Input*float64(got.Trace.Input)+
		*cost.Output*float64(got.Trace.Output)-1e6*cost.USD) > 1e-6*1e6*cost.USD {
		t.Errorf("the parts do not add up to %+v", cost)
	}
}

// The loads of one replica are CSV: a line for each, the last beyond what it holds.
func TestTrafficLLMAsCSV(t *testing.T) {
	text, _, err := execute(t, "traffic", "llm", "--step-time", "10ms", "--prompt-time", "50us", "--hours", "0.05", "--csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 1+len(batching.Shares) || !strings.HasPrefix(lines[0], "requests_per_second,goodput_per_second,") {
		t.Fatalf("%s", text)
	}
	for i, l := range lines[1:] {
		if cells := strings.Split(l, ","); len(cells) != 16 || (cells[2] >= "0.99") != (i <= batching.AtMost) {
			t.Errorf("load %d: %s", i, l)
		}
	}
}

// Of requests that all arrive at once no load is given, neither 0 nor none.
func TestTrafficLLMAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "once.csv")
	if err := os.WriteFile(path, []byte("time_s,input_tokens,output_tokens\n5,100,10\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, _, err := execute(t, "traffic", "llm", "--step-time", "10ms", "--trace", path, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got contract.LLM
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Most != nil || got.MostPerSecond.Value != nil || !strings.Contains(got.Advice[0], "is unknown") {
		t.Errorf("it holds %v requests/s: %s", got.MostPerSecond.Value, got.Advice[0])
	}
}

func TestTrafficLLMRefuses(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bare.csv")
	if err := os.WriteFile(bare, []byte("time_s\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	step := []string{"--step-time", "10ms"}
	for name, c := range map[string]struct {
		flags []string
		code  int
		words string
	}{
		"nothing":             {nil, exitUsage, "give --log"},
		"both":                {append(step, "--log", bare), exitUsage, "leave out --step-time"},
		"no times":            {[]string{"--log", bare}, exitFailed, "no times of first and last tokens"},
		"absent":              {[]string{"--log", bare + "x"}, exitFailed, "check the path"},
		"half an API":         {append(step, "--api-input", "1"), exitUsage, "belong together"},
		"negative":            {append(step, "--replicas", "-1"), exitUsage, "counts"},
		"no step":             {[]string{"--step-time", "-1s"}, exitUsage, "not above zero"},
		"too many":            {append(step, "--rate", "9999", "--hours", "100"), exitUsage, "too many requests"},
		"a trace with a rate": {append(step, "--trace", bare, "--rate", "2"), exitUsage, "leave it out with --trace"},
		"an unknown VM":       {append(step, "--vm", "none", "--hours", "0.01"), exitFailed, "give --vm-price"},
		"limits nothing keeps": {append(step, "--slo-ttft", "1ms", "--hours", "0.02"), exitInfeasible, "no number of " +
			"replicas keeps the limits"},
		"a small cache": {append(step, "--cache-tokens", "5", "--hours", "0.02"), exitInfeasible, "do not fit in the cache " +
			"and are refused: give more --cache-tokens"},
		"too few": {append(step, "--replicas", "1", "--rate", "400", "--hours", "0.02"), exitInfeasible, "of the trace's " +
			"requests only: give more --replicas"},
		"a small budget": {append(step, "--token-budget", "10"), exitUsage, "budget of 10 tokens"},
	} {
		_, _, err := execute(t, append([]string{"traffic", "llm"}, c.flags...)...)
		code := exitFailed
		if exit := (exitError{}); errors.As(err, &exit) {
			code = exit.code
		}
		if err == nil || !strings.Contains(err.Error(), c.words) || code != c.code {
			t.Errorf("%s: %v with code %d, want the words %q and %d", name, err, code, c.words, c.code)
		}
	}
}
