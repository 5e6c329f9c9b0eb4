package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/contract"
)

// importLoads imports what vLLM's benchmark wrote of so many clients each, as measured on a GPU.
func importLoads(t *testing.T, gpu string, clients ...string) {
	t.Helper()
	folder := filepath.Join("..", "..", "data", "imports", "testdata", "vllm-bench")
	for _, n := range clients {
		file := filepath.Join(folder, "openai-infqps-concurrency"+n+"-Llama-3.1-8B-Instruct-20260901-101500.json")
		if _, _, err := importRuns(t, file, "--gpu", gpu); err != nil {
			t.Fatal(err)
		}
	}
}

// Loads that were imported are told as measured, those between them by these, and on a GPU with one
// load the others as on the first one.
func TestTrafficLoads(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	importLoads(t, "L4", "1", "8", "32")
	importLoads(t, "A10G", "8")
	text, _, err := execute(t, "traffic", "loads", "--model", "llama-3.1-8b", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got contract.Loads
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Servers) != 2 {
		t.Fatalf("%d servers", len(got.Servers))
	}
	for _, s := range got.Servers {
		last := 0.0
		for i, at := range []float64{1, 2, 4, 8, 16, 32} {
			l, basis := s.Loads[i], "transferred"
			switch {
			case at == 8 || s.Machine == "L4" && (at == 1 || at == 32):
				basis = "measured"
			case s.Machine == "L4":
				basis = "other-batch"
			}
			if l.AtOnce != at || *l.TPOT.Basis != basis || *l.Latency.Basis != basis || !(*l.TPOT.Low < *l.TPOT.S) ||
				!(*l.TPOT.S > last) || len(l.TPOT.Sources) == 0 || !(*l.Generated.Low < *l.Generated.Value) {
				t.Errorf("%s, %g at once: %+v", s.Machine, at, l)
			}
			last = *l.TPOT.S
		}
	}
	// The files hold steps of 12 ms and more with each sequence and its prompt: a parabola through three
	// of them is off by little.
	if l := got.Servers[0].Loads[4]; l.AtOnce != 16 || *l.TPOT.S < 0.019 || *l.TPOT.S > 0.024 {
		t.Errorf("16 at once: %+v", l.TPOT)
	}
}

// Numbers and lengths that are asked for are told of, and what cannot be told is unknown, not left out.
func TestTrafficLoadsAsked(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	importLoads(t, "L4", "1", "8")
	text, _, err := execute(t, "traffic", "loads", "--model", "llama-3.1-8b", "--concurrency", "4,16", "--csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "L4,4,1024,128,0.0") ||
		!strings.Contains(lines[1], ",other-batch,") || lines[2] != "L4,16,1024,128,,,,,,,,," {
		t.Errorf("%s", text)
	}
	text, _, err = execute(t, "traffic", "loads", "--model", "llama-3.1-8b", "--input", "100", "--concurrency", "4")
	if err != nil || !strings.Contains(text, "no load of such lengths") {
		t.Errorf("%s%v", text, err)
	}
}

func TestTrafficLoadsRefuses(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for flags, c := range map[string]struct {
		code int
		says string
	}{
		"":                            {exitUsage, "give --model"},
		"--model m":                   {exitFailed, "no load on a server of \"m\""},
		"--model m --concurrency 0":   {exitUsage, "numbers from 1"},
		"--model m --concurrency NaN": {exitUsage, "numbers from 1"},
		"--model m --input -5":        {exitUsage, "tokens from 1"},
		"--model m --output 1e9":      {exitUsage, "tokens from 1"},
	} {
		_, _, err := execute(t, append([]string{"traffic", "loads"}, strings.Fields(flags)...)...)
		code := exitFailed
		if exit := (exitError{}); errors.As(err, &exit) {
			code = exit.code
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || code != c.code {
			t.Errorf("%s: %v with code %d, want the words %q and %d", flags, err, code, c.says, c.code)
		}
	}
}
