package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// The percentiles of both logs are within the bar of 15 %, most far within.
func TestRequestLogs(t *testing.T) {
	logs, err := filepath.Glob(filepath.Join(sets, "llm", "requests-*.jsonl.gz"))
	if err != nil || len(logs) == 0 {
		t.Skipf("no logs of requests are in %s", sets)
	}
	for _, path := range logs {
		found, err := percentilesOf(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			t.Logf("%s, %s: measured %.4g s, predicted %v, off by %.1f %%", p.log, p.of, p.truth, p.predicted, 100*p.off())
			if p.off() > 0.15 {
				t.Errorf("%s, %s: %.1f %% off", p.log, p.of, 100*p.off())
			}
		}
	}
}

// A damaged log is named, with the line.
func TestDamagedLog(t *testing.T) {
	dir := folderWith(t, map[string]string{
		"llm/requests-a.jsonl": `{"arrival_s": 1, "input_tokens": 1.5, "output_tokens": 1}`,
		"llm/requests-b.jsonl": `{"arrival_s": 1, "input_tokens": 1, "output_tokens": 1}`,
	})
	n, err := serve(&bytes.Buffer{}, dir)
	if n != 2 || err == nil || !strings.Contains(err.Error(), "requests-a.jsonl is left out: line 1: has 1.5 tokens") ||
		!strings.Contains(err.Error(), "requests-b.jsonl is left out: it has 1 request and needs 150") {
		t.Errorf("%d logs, %v", n, err)
	}
}
