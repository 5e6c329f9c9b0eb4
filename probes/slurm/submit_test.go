package slurm

import (
	"bytes"
	"maps"
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
		arrives int               // bytes of the script
		instead map[string]string // of the system's commands
		says    string            // the error; "" where sbatch gets the script
	}{
		{name: "whole", arrives: all},
		{name: "nothing", arrives: 0, says: "did not arrive whole"},
		{name: "first line", arrives: len("#!/bin/bash -l\n"), says: "did not arrive whole"},
		{name: "half", arrives: 20_000, says: "did not arrive whole"},
		{name: "all but the last byte", arrives: -1, says: "did not arrive whole"},
		{name: "shell killed", arrives: all, instead: map[string]string{
			"cat": "/usr/bin/head -c 20000; kill -KILL $PPID"}, says: "refused by Slurm"},
		{name: "no room for the last words", arrives: all, instead: map[string]string{
			"head": "/usr/bin/head -c 100 /dev/zero; echo 'No space left on device' >&2; exit 1"}, says: "is full"},
		{name: "refused", arrives: all, instead: map[string]string{"sbatch": "exit 1"}, says: "refused by Slurm"},
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
				"ssh":    `for last; do :; done; /usr/bin/head -c ` + strconv.Itoa(tt.arrives) + ` | sh -c "$last"`,
				"squeue": "", "sacct": "", "sbatch": "/bin/cat >'" + got + "'; echo 7"}
			maps.Copy(commands, tt.instead)
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
			if tt.says == "" {
				if err != nil || id != "7" || !bytes.Equal(accepted, script) || len(files) != 1 ||
					files[0].Name() != b.Name+".spare" {
					t.Errorf("job %q (%v), %d of %d bytes, files %v", id, err, len(accepted), len(script), files)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) || accepted != nil || len(files) > 0 {
				t.Fatalf("job %q (%v): sbatch got %d of %d bytes, files %v", id, err, len(accepted), len(script), files)
			}
		})
	}
}
