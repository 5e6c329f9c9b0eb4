package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/request"
	"sweetspot/probes/sky"
)

// Where nobody can be asked, VMs are rented only with --yes or a budget, also beside GPUs of
// one's own that have no price.
func TestRentingIsAgreedTo(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	set := &profile.Set{VMTypes: []profile.VMType{{Cloud: "aws", Region: "us-east-1", InstanceType: "g6.xlarge", GPU: "L4",
		GPUCount: 1, Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 0.80}}}}}
	own := map[string]sky.GPU{"L4": {}}
	for name, c := range map[string]struct {
		of     sky.Options
		yes    bool
		budget float64
		agreed bool
	}{
		"rented":              {sky.Options{}, false, 0, false},
		"rented, with --yes":  {sky.Options{}, true, 0, true},
		"rented, in a budget": {sky.Options{}, false, 5, true},
		"own":                 {sky.Options{Infra: []string{"ssh/lab"}, GPUs: own}, false, 0, true},
		"own or rented":       {sky.Options{Infra: []string{"aws", "ssh/lab"}, GPUs: own}, false, 0, false},
		"own, with a price": {sky.Options{Infra: []string{"ssh/lab"}, GPUs: map[string]sky.GPU{"L4": {USDPerHour: new(1.0)}}},
			false, 0, false},
	} {
		r := request.Request{Command: []string{"true"}, On: onSky, GPUs: []string{"L4"}, Sky: c.of}
		r.Rule.MaxUSD = c.budget
		cells, err := r.Cells()
		if err != nil {
			t.Fatal(err)
		}
		cmd := &cobra.Command{}
		cmd.SetErr(io.Discard)
		err = (&probeFlags{yes: c.yes}).confirm(context.Background(), cmd, &r, cells, set)
		if err == nil != c.agreed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A cluster that was left behind is ended, which is said.
func TestLeftClusterIsCancelled(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("XDG_STATE_HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	notes := filepath.Join(dir, "sweetspot", "sky")
	if err := os.MkdirAll(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "p.db")
	s, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const job = "00112233445566aa00"
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "sky"), "#!/bin/sh\necho '[]'\n") // which knows of no cluster
	for _, c := range []struct{ format, says string }{
		{"", "Ended sweetspot-" + job + ".\n"}, {"--json", `"gpu": "L4:2"`},
	} {
		note := filepath.Join(notes, job+".json")
		write(note, `{"gpu": "L4", "count": 2}`)
		args := []string{"queue", "cancel", "001122", "--db", db}
		if c.format != "" {
			args = append(args, c.format)
		}
		for key, says := range map[string]string{"ffffff": `no probe "ffffff" goes on`, "00112": "too short for a key"} {
			if _, _, err := execute(t, append(args, key)...); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("the key %s: %v", key, err)
			}
		}
		if _, err := os.Stat(note); err != nil {
			t.Errorf("it was ended beside a key that is wrong: %v", err)
		}
		if out, _, err := execute(t, args...); err != nil || !strings.Contains(out, c.says) {
			t.Errorf("%v: %q, want %q", err, out, c.says)
		}
		if _, err := os.Stat(note); err == nil {
			t.Error("it is still noted")
		}
	}
}

// GPUs of one's own are no VM types, of which there are none.
func TestOffersOfOnesOwn(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_DATA_HOME", dir)
	config := filepath.Join(dir, "sweetspot", "config.json")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"sky": {"infra": ["ssh/lab"], "gpus": {"A100": {"usd_per_hour": 1.1}}}}`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, err := execute(t, "queue", "offers", "--on", "sky")
	if err != nil || !strings.Contains(out, "A100  your own  unknown ") {
		t.Errorf("%v:\n%s", err, out)
	}
}
