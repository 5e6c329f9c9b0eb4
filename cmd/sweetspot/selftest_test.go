package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Without a GPU one sentence says so, and the exit tells scripts.
func TestSelftestWithoutGPU(t *testing.T) {
	python := filepath.Join(t.TempDir(), "python")
	const program = "#!/bin/sh\necho '{\"python\":\"3.11.2\",\"torch\":\"2.15.0\",\"gpu\":false}'\n"
	if err := os.WriteFile(python, []byte(program), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	out, _, err := execute(t, "doctor", "--gpu-selftest", "--python", python)
	if e, ok := errors.AsType[exitError](err); !ok || e.code != exitFailed || out != "" ||
		!strings.HasPrefix(err.Error(), "there is no GPU to test: PyTorch 2.15.0 in ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%q, %v", out, err)
	}
	if _, _, err := execute(t, "doctor", "--keep"); err == nil ||
		!strings.Contains(err.Error(), "--gpu-selftest; give both") {
		t.Errorf("%v", err)
	}
}

// Only a yes keeps the result, and then it is a run like any other.
func TestKeepingASelftest(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "Yes\n": true, "\n": false, "": false, "no\n": false} {
		if got := isYes(t.Context(), strings.NewReader(answer)); got != want {
			t.Errorf("%q: %v", answer, got)
		}
	}
	path := filepath.Join(t.TempDir(), "profiles.db")
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	root := newRootCommand()
	doctor, _, err := root.Find([]string{"doctor"})
	if err != nil {
		t.Fatal(err)
	}
	root.SetErr(io.Discard)
	if err := root.PersistentFlags().Set("db", path); err != nil {
		t.Fatal(err)
	}
	if err := doctor.ParseFlags(nil); err != nil {
		t.Fatal(err)
	}
	doctor.SetContext(t.Context())
	run := profile.Run{Model: "GPU self-test", Mode: profile.Train, GPU: "T4", GPUCount: 1, InstanceType: "box",
		BatchSize: 4, Steady: estimate.Spread(2e-3, 0.01, estimate.Measured), Basis: estimate.Measured}
	if err := keepRun(doctor, run); err != nil {
		t.Fatal(err)
	}
	set, err := db.Load(t.Context())
	if err != nil || len(set.Runs) != 1 || set.Runs[0].GPU != "T4" || set.Runs[0].Steady.Value != 2e-3 {
		t.Errorf("%+v, %v", set.Runs, err)
	}
}
