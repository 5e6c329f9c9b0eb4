package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/session"
)

// A script that would train for hours is stopped by a session that knows
// enough, and the run in the database has what the script never said.
func TestSessionStopsScript(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "profiles.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rule := steady.DefaultRule()
	rule.Target, rule.MinSeconds, rule.MaxN = 0.5, 1, 400
	p, err := session.Start(t.Context(), session.Options{
		Command: []string{torch(t), "../frameworks/scripts/checkpoints.py", filepath.Join(t.TempDir(), "model.pt")},
		Files:   Files(), Env: Env(os.Getenv("PYTHONPATH")), Hooked: true, Rule: rule, Store: s,
		Description: store.Description{Model: profile.Model{Name: "checkpoints"}, Mode: profile.Train},
	})
	if err != nil {
		t.Fatal(err)
	}
	u := p.Wait()
	if u.Err != nil || *u.ScriptExit != 0 || u.Run.Status != profile.Done || u.Rejected != 0 {
		t.Fatalf("status %s because %q, exit %d, %d rejected, error %v, log %q", u.Run.Status, u.StoppedBecause,
			*u.ScriptExit, u.Rejected, u.Err, u.Log)
	}
	if u.StoppedBecause != steady.Precise && u.StoppedBecause != steady.Cap {
		t.Errorf("because %q", u.StoppedBecause)
	}
	set, err := s.Load(t.Context())
	if err != nil || len(set.Runs) != 1 {
		t.Fatalf("%d runs, %v", len(set.Runs), err)
	}
	r := set.Runs[0]
	if r.Model != "checkpoints" || r.BatchSize != 4 || number(r.IterationsPerEpoch) != 1000 ||
		number(r.TrainSize) != 4000 || number(r.Epochs) != 10000 {
		t.Errorf("batch %d, per epoch %g, train size %g, epochs %g", r.BatchSize, number(r.IterationsPerEpoch),
			number(r.TrainSize), number(r.Epochs))
	}
	if r.InitS == nil || *r.InitS <= 0 || len(u.Seconds) < 20 {
		t.Errorf("init %g, %d iterations", number(r.InitS), len(u.Seconds))
	}
	// Whether steps are steady enough depends on what else the machine does.
	if u.StoppedBecause == steady.Precise && (r.Steady.Value <= 0 || u.InputWait == nil) {
		t.Errorf("steady %+v, waits %g", r.Steady, number(u.InputWait))
	}
}

// What a script writes to its standard output counts, whatever Python runs
// beside it; what it reports twice counts once, and is not left out silently.
func TestEventsOnStandardOutput(t *testing.T) {
	const event = `{"sweetspot":1,"event":"iteration","seconds":0.01,"units":8}`
	const python = `
import os, sys
places = [sys.stdout] + [open(os.environ[name], "w") for name in sys.argv[2:]]
for i in range(int(sys.argv[1])):
    for place in places:
        print('` + event + `', file=place, flush=True)
`
	for name, c := range map[string]struct {
		command []string
		warning string
	}{
		"a Python script": {command: []string{"python3", "-c", python, "300"}},
		"a shell script that calls Python before": {command: []string{"sh", "-c", "python3 -c 'import json'; i=0; " +
			"while [ $i -lt 300 ]; do echo '" + event + "'; i=$((i+1)); done"}},
		"a shell script that calls Python between": {command: []string{"sh", "-c", "for i in 1 2 3; do " +
			"yes '" + event + "' | head -n 100; python3 -c 'import json'; done"}},
		"a Python script that writes to both": {command: []string{"python3", "-c", python, "300", "SWEETSPOT_EVENTS_PATH"},
			warning: "300 events were left out"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "profiles.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			p, err := session.Start(t.Context(), session.Options{
				Command: c.command, Files: Files(), Env: Env(""), Hooked: true, Rule: steady.DefaultRule(), KeepRunning: true,
				Store: s, Description: store.Description{Model: profile.Model{Name: "mine"}, Mode: profile.Train},
			})
			if err != nil {
				t.Fatal(err)
			}
			u := p.Wait()
			its, err := s.Iterations(t.Context(), u.Run.ID)
			if err != nil || u.Err != nil || u.Run.Status != profile.Done || len(its) != 300 || len(u.Seconds) != 300 {
				t.Errorf("%d of 300 iterations stored, %d counted, status %s, %v, %v", len(its), len(u.Seconds), u.Run.Status,
					u.Err, err)
			}
			r, err := s.Record(t.Context(), u.Run.ID)
			live, kept := strings.Join(u.Warnings, "\n"), strings.Join(r.Warnings, "\n")
			if err != nil || !strings.Contains(live, c.warning) || !strings.Contains(kept, c.warning) ||
				c.warning == "" && strings.Contains(live, "left out") {
				t.Errorf("warnings %q, saved %q, %v", live, kept, err)
			}
		})
	}
}
