package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/contract"
)

// A server that streams is measured, its log is written and answers traffic llm.
func TestProbeServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Prompt    string `json:"prompt"`
			MaxTokens int    `json:"max_tokens"`
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		for range asked.MaxTokens {
			fmt.Fprint(w, "data: {\"choices\":[{\"text\":\"x\"}]}\n\n")
			w.(http.Flusher).Flush()
		}
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\ndata: [DONE]\n",
			len(strings.Fields(asked.Prompt)), asked.MaxTokens)
	}))
	defer server.Close()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	log, engine := filepath.Join(t.TempDir(), "log.jsonl"), filepath.Join(t.TempDir(), "engine.log")
	told := "INFO GPU KV cache size: 409,600 tokens\nINFO non-default args: {'max_num_seqs': 32}\n"
	if err := os.WriteFile(engine, []byte(told), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"probe", "server", server.URL + "/v1", "--model", "m", "--concurrency", "1,3", "--input", "20",
		"--output", "8", "--requests", "10", "--rate", "200", "--count", "20", "--out", log, "--json",
		"--engine-log", engine, "--gpu", "L4", "--precision", "FP8"}
	text, _, err := execute(t, flags...)
	if err != nil {
		t.Fatal(err)
	}
	var got serverProbe
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Cells) != 3 || got.Cells[1].Requests != 10 || got.Cells[1].Input != 20 || got.Cells[1].Output != 8 ||
		got.Cells[2].PerSecond == nil || got.Cells[0].TTFT.P50.S == nil || got.Server == nil {
		t.Fatalf("%+v", got)
	}
	if s := got.Server; s.CacheTokens == nil || *s.CacheTokens != 409600 || s.MaxSequences == nil ||
		*s.MaxSequences != 32 {
		t.Errorf("the engine's settings are not those of its log: %+v", s)
	}
	var of contract.LLM
	text, _, err = execute(t, "traffic", "llm", "--model", "m", "--slo-ttft", "9s", "--slo-tpot", "9s", "--json")
	if err != nil {
		t.Fatalf("from the loads that the probe kept: %v", err)
	} else if err := json.Unmarshal([]byte(text), &of); err != nil || of.Server.CacheTokens == nil ||
		*of.Server.CacheTokens != 409600 || contract.Known(of.Server.Precision) != "fp8" ||
		contract.Known(got.Precision) != "fp8" || contract.Known(got.Server.Precision) != "fp8" {
		t.Errorf("%+v, %v", of.Server, err)
	}
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, _, err := execute(t, "traffic", "llm", "--log", log); err != nil {
		t.Error(err)
	}
	besideMeasured(t, server.URL, log)
	ofTwoWeights(t, flags)
	if _, _, err := execute(t, flags...); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("the log was written over: %v", err)
	}
}

// ofTwoWeights probes the same server again with other weights: its loads are kept apart.
func ofTwoWeights(t *testing.T, flags []string) {
	t.Helper()
	again := slices.Clone(flags)
	again[slices.Index(again, "FP8")] = "nf4"
	again[slices.Index(again, "--out")+1] = filepath.Join(t.TempDir(), "nf4.jsonl")
	if _, _, err := execute(t, again...); err != nil {
		t.Fatal(err)
	}
	limits := []string{"traffic", "llm", "--model", "m", "--slo-ttft", "9s", "--slo-tpot", "9s"}
	if _, _, err := execute(t, limits...); err == nil || !strings.Contains(err.Error(), "L4 with fp8") ||
		!strings.Contains(err.Error(), "L4 with nf4") {
		t.Errorf("of two weights: %v", err)
	}
	text, _, err := execute(t, append(limits, "--precision", "NF4")...)
	if err != nil || !strings.Contains(text, "weights in nf4: a step takes") {
		t.Errorf("%s, %v", text, err)
	}
	if _, _, err = execute(t, append(limits, "--precision", "int8")...); err == nil ||
		!strings.Contains(err.Error(), "has no load on a server of \"m\" with int8") {
		t.Errorf("of weights that no server had: %v", err)
	}
}

// besideMeasured sends requests at their own times only, and serves them in a simulation of the server
// whose log is given: what was measured of them stands beside it.
func besideMeasured(t *testing.T, url, log string) {
	t.Helper()
	longer := filepath.Join(t.TempDir(), "longer.jsonl")
	text, _, err := execute(t, "probe", "server", url+"/v1", "--model", "m", "--concurrency", "0", "--input", "20",
		"--output", "8", "--rate", "200", "--count", "30", "--out", longer, "--json")
	var probed serverProbe
	if err != nil || json.Unmarshal([]byte(text), &probed) != nil || len(probed.Cells) != 1 {
		t.Fatalf("%+v, %v", probed, err)
	}
	var of contract.LLM
	text, _, err = execute(t, "traffic", "llm", "--log", log, "--trace", longer, "--json")
	if err != nil || json.Unmarshal([]byte(text), &of) != nil || of.Measured == nil {
		t.Fatalf("%+v, %v", of, err)
	}
	near := func(a, b *float64) bool { return math.Abs(*a-*b) < 1e-9 } // arrivals of a log begin at 0
	if m := of.Measured; m.Requests != 30 || !near(m.TTFT.P50.S, probed.Cells[0].TTFT.P50.S) ||
		!near(m.TPOT.P95.S, probed.Cells[0].TPOT.P95.S) || m.Within < 0 || m.Within > 1 {
		t.Errorf("%d requests are measured with TTFT %g and TPOT %g s, %g within; the probe says %g and %g", m.Requests,
			*m.TTFT.P50.S, *m.TPOT.P95.S, m.Within, *probed.Cells[0].TTFT.P50.S, *probed.Cells[0].TPOT.P95.S)
	}
	if text, _, err = execute(t, "traffic", "llm", "--log", log, "--trace", longer); err != nil ||
		!strings.Contains(text, "as measured") {
		t.Errorf("%s, %v", text, err)
	}
	text, _, err = execute(t, "traffic", "llm", "--log", log, "--trace", longer, "--scale", "2", "--json")
	if err != nil || !strings.Contains(text, `"measured": null`) {
		t.Errorf("requests that never came so fast are measured: %v", err)
	}
}

func TestProbeServerRefuses(t *testing.T) {
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
	}))
	defer failing.Close()
	log := filepath.Join(t.TempDir(), "log.jsonl")
	for name, c := range map[string]struct {
		flags []string
		code  int
		words string
	}{
		"no URL":     {[]string{"--model", "m"}, exitUsage, "give one URL"},
		"no model":   {[]string{failing.URL}, exitUsage, "give --model"},
		"no address": {[]string{"nonsense", "--model", "m"}, exitUsage, "is not the address of an API"},
		"no tokens":  {[]string{failing.URL, "--model", "m", "--input", "0"}, exitUsage, "give numbers from 1"},
		"too many": {[]string{failing.URL, "--model", "m", "--requests", "99999"}, exitUsage, "more than 100000 " +
			"requests"},
		"no load": {[]string{failing.URL, "--model", "m", "--concurrency", "0"}, exitUsage, "leaves no load"},
		"no key":  {[]string{failing.URL, "--model", "m", "--api-key-env", "NO_SUCH_KEY"}, exitUsage, "is not set"},
		"two loads": {[]string{failing.URL, "--model", "m", "--rate", "1", "--trace", "x"}, exitUsage, "leave out " +
			"--rate"},
		"no folder": {[]string{failing.URL, "--model", "m", "--out", filepath.Join(filepath.Dir(log), "none", "x")},
			exitFailed, "give --out a file in a folder"},
		"weights":         {[]string{failing.URL, "--model", "m", "--precision", "q4"}, exitUsage, "write bf16, fp8"},
		"nameless GPUs":   {[]string{failing.URL, "--model", "m", "--gpu-count", "2"}, exitUsage, "name the GPU"},
		"another model":   {[]string{failing.URL, "--model", "m", "--out", log}, exitFailed, "no such model"},
		"nobody is there": {[]string{"http://127.0.0.1:1/v1", "--model", "m", "--out", log}, exitFailed, "refused"},
	} {
		_, _, err := execute(t, append([]string{"probe", "server"}, c.flags...)...)
		code := exitFailed
		if exit := (exitError{}); errors.As(err, &exit) {
			code = exit.code
		}
		if err == nil || !strings.Contains(err.Error(), c.words) || code != c.code {
			t.Errorf("%s: %v with code %d, want the words %q and %d", name, err, code, c.words, c.code)
		}
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("an empty log was left")
	}
}
