package remote_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/remote"
	"sweetspot/probes/report"
	"sweetspot/probes/request"
)

const script = `
import json, os, time
for i in range(150):
    os.write(3, (json.dumps({"sweetspot": 1, "event": "iteration", "index": i, "seconds": 0.5 + i % 3 / 100}) + "\n").encode())
    print("step", i, flush=True)
    time.sleep(0.02)
`

// A probe through the whole program: the connection is cut, what came is kept,
// and the same run is collected whole afterwards.
func TestCollectsTheSameRun(t *testing.T) {
	s := remote.ServeForTests(t)
	path := filepath.Join(t.TempDir(), "script.py")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "profiles.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := request.Request{
		Command: []string{"python3", path}, Hosts: []string{s.Address()}, Detach: true, NoMetadata: true,
		Rule: steady.DefaultRule(), KeepRunning: true,
	}
	m, err := r.Start(t.Context(), request.Environment{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	cut := false
	for u := range m.Updates() {
		if !cut && len(u.Rows[0].Update.Seconds) > 5 {
			s.Cut()
			cut = true
		}
	}
	rows := m.Wait().Rows
	u := rows[0]
	id, came := u.Update.Run.ID, len(u.Update.Seconds)
	if u.State != matrix.Failed || !strings.Contains(u.Why, "goes on there") || came < 5 || came >= 150 {
		t.Fatalf("%s, %q after %d steps", u.State, u.Why, came)
	}
	rec, err := db.Record(t.Context(), id)
	if err != nil || !request.IsDetached(rec) {
		t.Fatalf("%+v, %v", rec, err)
	}
	saysLost(t, report.Row(rows, 0, nil, nil), s.Address())
	if saved, err := report.Saved(t.Context(), db, id); err != nil || saved.StoppedWords != "connection lost" {
		t.Errorf("saved as %q, %v", saved.StoppedWords, err)
	}
	c, err := request.Collect(t.Context(), db, id, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := c.Wait()
	if last.Err != nil || last.StoppedBecause != "end" || last.Run.ID != id || len(last.Seconds) != 150 {
		t.Fatalf("%q, %v, %d steps of run %d", last.StoppedBecause, last.Err, len(last.Seconds), last.Run.ID)
	}
	h, err := remote.Parse(s.Address())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := remote.Attach(t.Context(), h, rec.Spool); err == nil {
		t.Error("what was collected is still on the host")
	}
	if _, err := request.Collect(t.Context(), db, id, nil); err == nil ||
		!strings.Contains(err.Error(), "not on another host") {
		t.Errorf("collected twice: %v", err)
	}
	saved, err := report.Saved(t.Context(), db, id)
	if err != nil {
		t.Fatal(err)
	}
	if saved.Seq == 0 || saved.Run.Status != profile.Done || len(saved.Seconds) != 150 ||
		saved.Summary.Steady != last.Summary.Steady || saved.Summary.P90 != last.Summary.P90 || *saved.ScriptExit != 0 {
		t.Errorf("saved %+v,\nwas %+v", saved.Summary, last.Summary)
	}
}

// saysLost wants the report to name the host as the user does, and not to say
// that it was the user who ended the probe.
func saysLost(t *testing.T, p report.Probe, host string) {
	t.Helper()
	var text strings.Builder
	if err := p.Write(&text, "p.db"); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); !strings.Contains(got, " on "+host+" (") || !strings.Contains(got, "; connection lost\n") {
		t.Errorf("on %s:\n%s", host, got)
	}
}
