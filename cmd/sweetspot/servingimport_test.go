package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/contract"
)

// One load on another GPU makes the step times of a model's other server meet it, which is said.
func TestImportedLoadOnAnotherGPUIsServed(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	importLoads(t, "L4", "1", "8", "32")
	importLoads(t, "A10G", "8")
	var got [2]contract.LLM
	for i, gpu := range []string{"L4", "A10G"} {
		text, _, err := execute(t, "traffic", "llm", "--model", "llama-3.1-8b", "--gpu", gpu, "--hours", "0.2", "--json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &got[i]); err != nil {
			t.Fatal(err)
		}
	}
	own, other := got[0], got[1]
	if own.Server.From != nil || own.Server.Basis != "measured" || other.Server.From == nil ||
		*other.Server.From != "L4" || other.Server.Basis != "transferred" || *other.Load.TPOT.P50.Basis != "transferred" {
		t.Errorf("%+v, %+v", own.Server, other.Server)
	}
	// The load on the A10G is the very one on the L4, so that little differs but the interval.
	a, b := own.MostPerSecond, other.MostPerSecond
	if math.Abs(*b.Value / *a.Value - 1) > 0.15 || *b.High-*b.Low < 1.2*(*a.High-*a.Low) {
		t.Errorf("it holds %g (%g to %g), on the other %g (%g to %g)", *a.Value, *a.Low, *a.High, *b.Value, *b.Low, *b.High)
	}
}

// What vLLM's benchmark wrote becomes the step times of traffic llm, and survives an export.
func TestImportedLoadsAreServed(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	folder := filepath.Join("..", "..", "data", "imports", "testdata", "vllm-bench")
	if out, _, err := importRuns(t, folder, "--gpu", "L4"); err != nil || !strings.Contains(out, "5 new") {
		t.Fatalf("%s%v", out, err)
	}
	ask := func(args ...string) (contract.LLM, error) {
		text, _, err := execute(t, append([]string{"traffic", "llm", "--model", "llama-3.1-8b", "--rate", "2", "--hours", "0.2",
			"--input", "1024", "--output", "128", "--slo-tpot", "40ms", "--json"}, args...)...)
		var got contract.LLM
		if err == nil {
			err = json.Unmarshal([]byte(text), &got)
		}
		return got, err
	}
	got, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	// The files hold 14.3 ms at 2 requests a second, from steps of 12 ms.
	if s := got.Server; math.Abs(s.StepS-0.012) > 0.001 || s.FittedTo == nil || *s.FittedTo != 20+32+128+40 {
		t.Errorf("server %+v", s)
	}
	if p := got.Load.TPOT.P50; p.S == nil || math.Abs(*p.S-0.0143) > 0.002 || p.Low == nil || !(*p.Low < *p.S) {
		t.Errorf("TPOT %+v", got.Load.TPOT)
	}
	if _, err := ask("--gpu", "H100"); err == nil || !strings.Contains(err.Error(), "no load on a server") {
		t.Errorf("another GPU: %v", err)
	}
	if _, err := ask("--log", "x.jsonl"); err == nil || !strings.Contains(err.Error(), "leave out") {
		t.Errorf("with a log: %v", err)
	}
	for _, format := range []string{"csv", "json"} {
		exported := filepath.Join(t.TempDir(), "runs."+format)
		if _, _, err := execute(t, "export", "--runs", "--format", format, "--out", exported); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		t.Setenv("XDG_DATA_HOME", t.TempDir())
		if _, _, err := importRuns(t, exported); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if again, err := ask(); err != nil || again.Server.StepS != got.Server.StepS {
			t.Errorf("%s: %+v, %v", format, again.Server, err)
		}
	}
}
