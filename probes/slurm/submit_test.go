package slurm

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
)

// Whatever cuts a connection, Slurm gets the script whole or not at all, and no part of it is left.
func TestSubmitWhole(t *testing.T) {
	job := remote.Job{Name: "00112233445566aa00"}
	b := queue.Batch{Name: job.Name, GPU: "a100", Count: 1, Limit: time.Minute, Script: job.Script}
	const all = 1 << 30
	for _, tt := range []struct {
		name    string
		arrives int    // bytes of the script
		cat     string // stand-in; "" for the system's
		whole   bool
	}{
		{name: "whole", arrives: all, whole: true},
		{name: "nothing", arrives: 0},
		{name: "first line", arrives: len("#!/bin/bash -l\n")},
		{name: "half", arrives: 20_000},
		{name: "all but the last byte", arrives: -1},
		{name: "shell killed", arrives: all, cat: "head -c 20000; kill -KILL $PPID"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, bin := t.TempDir(), t.TempDir()
			root, got := filepath.Join(dir, "spools"), filepath.Join(dir, "got")
			e := New(remote.Host{Destination: "login"}, Options{Spool: root})
			e.offers = []offer{{Offer: queue.Offer{GPU: "a100"}}}
			script, err := e.script(b)
			if err != nil || len(script) < 40_000 {
				t.Fatal(len(script), err)
			}
			if tt.arrives < 0 {
				tt.arrives += len(script)
			}
			commands := map[string]string{
				"ssh":    `for last; do :; done; head -c ` + strconv.Itoa(tt.arrives) + ` | sh -c "$last"`,
				"squeue": "", "sacct": "", "sbatch": "/bin/cat >'" + got + "'; echo 7"}
			if tt.cat != "" {
				commands["cat"] = tt.cat
			}
			for name, text := range commands {
				if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			t.Setenv(remote.SSHVariable, "")

			id, err := e.Submit(t.Context(), b)
			accepted, _ := os.ReadFile(got)
			files, _ := os.ReadDir(root)
			if tt.whole {
				if err != nil || id != "7" || !bytes.Equal(accepted, script) || len(files) != 1 ||
					files[0].Name() != b.Name+".spare" {
					t.Errorf("job %q (%v), %d of %d bytes, files %v", id, err, len(accepted), len(script), files)
				}
				return
			}
			if err == nil || accepted != nil || len(files) > 0 {
				t.Fatalf("job %q (%v): sbatch got %d of %d bytes, files %v", id, err, len(accepted), len(script), files)
			}
			if tt.cat == "" && !strings.Contains(err.Error(), "did not arrive whole") {
				t.Errorf("it was explained by %v", err)
			}
		})
	}
}
