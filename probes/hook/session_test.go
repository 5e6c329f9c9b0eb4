package hook

import (
	"os"
	"path/filepath"
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
		Command: []string{torch(t), "testdata/checkpoints.py", filepath.Join(t.TempDir(), "model.pt")},
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
		number(r.TrainSize) != 4000 || number(r.Epochs) != unknown {
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
