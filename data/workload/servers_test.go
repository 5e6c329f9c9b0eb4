package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/data/arrivals"
	"sweetspot/engine/batching"
)

// Logs beside a database are found by their names, the newest first; other files are not
// taken for some.
func TestServerLogs(t *testing.T) {
	database := filepath.Join(t.TempDir(), "profiles.db")
	if logs, err := ServerLogs(database); err != nil || len(logs) != 0 {
		t.Errorf("without a folder: %v, %v", logs, err)
	}
	if err := os.Mkdir(LogFolder(database), 0o700); err != nil {
		t.Fatal(err)
	}
	old, late := time.Date(2026, 11, 1, 2, 3, 4, 0, time.Local), time.Date(2026, 11, 2, 0, 0, 0, 0, time.Local)
	names := []string{LogName("lab/llama-3.1-8b", old), LogName("../../etc\n; rm -rf", late),
		LogName(strings.Repeat("x", 500), late.Add(time.Hour)), "notes.jsonl", "-20261102-000000.jsonl",
		"a-20261399-000000.jsonl", "a_20261102-000000.jsonl", "a-20261102-000000.csv"}
	for _, n := range names {
		if n != filepath.Base(n) || len(n) > 100 {
			t.Fatalf("a log is called %q", n)
		}
		if err := os.WriteFile(filepath.Join(LogFolder(database), n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := ServerLogs(database)
	if err != nil || len(logs) != 3 {
		t.Fatalf("%v, %v", logs, err)
	}
	if l := logs[2]; l.Model != "lab-llama-3.1-8b" || !l.At.Equal(old) || filepath.Base(l.Path) != names[0] {
		t.Errorf("%+v", l)
	}
	if l := logs[1]; l.Model != "etc---rm--rf" || !l.At.Equal(late) {
		t.Errorf("%+v", l)
	}
}

// A server is fitted to its log; a log without times says that it has none.
func TestReadServer(t *testing.T) {
	server := batching.Server{Times: batching.Times{StepS: 0.012, PromptS: 5e-5},
		Settings: batching.Settings{MaxSequences: 64, TokenBudget: 2048, CacheTokens: batching.Unlimited}}
	requests := batching.Synthetic(batching.Lengths{Input: 200, Output: 10, Spread: 0.5}, 16, 10, 7)
	out, err := batching.Simulate(requests, server)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	var b strings.Builder
	if err := arrivals.WriteLog(&b, out.Observe(requests)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	of, log, err := ReadServer(path)
	if err != nil || of.Used != 16 || len(log.Requests) != 16 || of.StepS < 0.006 || of.StepS > 0.018 {
		t.Errorf("%+v of %d requests, %v", of.Server, len(log.Requests), err)
	}
	if err := os.WriteFile(path, []byte(`{"arrival_s":1,"input_tokens":5,"output_tokens":5}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadServer(path); err == nil || !strings.Contains(err.Error(), "no times of first and last tokens") {
		t.Errorf("without times: %v", err)
	}
}
