package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/harness"
	"sweetspot/probes/session"
)

// Attached to, a run gets the estimates that probe gave it.
func TestEpochsOfAnAttachedRun(t *testing.T) {
	_, model, err := harness.Program("python3", harness.Spec{Model: "example:fashion-cnn"}, false)
	if err != nil {
		t.Fatal(err)
	}
	script := []string{"python3", "train.py"}
	saved := func(command []string, epochs *float64) []float64 {
		r := store.Record{Description: store.Description{Command: command, Address: "me@vm"}}
		row := asRow(r, session.Update{Run: profile.Run{BatchSize: 64, Epochs: epochs}})
		if row.Host != "me@vm" {
			t.Errorf("on host %q", row.Host)
		}
		return ownEpochs(row)
	}
	for name, c := range map[string]struct{ got, want []float64 }{
		"a model as it comes":          {saved(model, new(float64(harness.DefaultEpochs))), defaultEpochs},
		"a model for so many":          {saved(model, new(30.0)), []float64{30}},
		"a script that says how many":  {saved(script, new(10.0)), []float64{10}},
		"a script that says nothing":   {saved(script, nil), defaultEpochs},
		"an inference, without epochs": {saved(model, nil), defaultEpochs},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// Who asks for a run that is not there learns how to find those that are.
func TestAttachToNoRun(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	db := filepath.Join(t.TempDir(), "p.db")
	s, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for says, args := range map[string][]string{
		"sweetspot runs list shows which there are": {"attach", "999", "--db", db},
		"start with sweetspot probe":                {"attach", "999"},
	} {
		if _, _, err := execute(t, args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", args, err, says)
		}
	}
	if _, _, err := execute(t, "runs", "list", "--db", db); err != nil {
		t.Error(err)
	}
}
