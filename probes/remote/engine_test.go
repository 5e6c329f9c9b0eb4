package remote_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/host"
	"sweetspot/probes/matrix"
	"sweetspot/probes/queue"
	"sweetspot/probes/remote"
	"sweetspot/probes/report"
	"sweetspot/probes/request"
)

// script takes 20 steps, and as many more as it needs for 150 once the file is there.
const script = `
import json, os, sys, time
for i in range(150):
    os.write(3, (json.dumps({"sweetspot": 1, "event": "iteration", "index": i, "seconds": 0.5 + i % 3 / 100}) + "\n").encode())
    print("step", i, flush=True)
    while i == 19 and not os.path.exists(sys.argv[1]):
        time.sleep(0.02)
`

// detached is a request for one probe on each of the hosts, which goes on without us, up to its end once that is let.
func detached(t *testing.T, hosts ...string) (r request.Request, db *store.Store, let func()) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path, gate := filepath.Join(t.TempDir(), "script.py"), filepath.Join(t.TempDir(), "gate")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "profiles.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r = request.Request{Command: []string{"python3", path, gate}, Hosts: hosts, Detach: true, NoMetadata: true,
		Rule: steady.DefaultRule(), KeepRunning: true}
	return r, db, func() {
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// waiting is the only matrix of a database that goes on.
func waiting(t *testing.T, db *store.Store) request.Queued {
	t.Helper()
	all, err := request.ListQueued(t.Context(), db)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	return all[0]
}

// Probes here and on another host, through the whole program: the connection is cut and made again, who follows them
// leaves, and the same runs are followed to their ends by another.
func TestFollowsTheSameRuns(t *testing.T) {
	s := remote.ServeForTests(t)
	r, db, let := detached(t, "", s.Address())
	f, err := r.Enqueue(t.Context(), request.Environment{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	cut := false
	for u := range f.Updates() {
		there := len(u.Rows[1].Update.Seconds)
		if there > 5 && !cut {
			s.Cut()
			cut = true
		}
		if len(u.Rows[0].Update.Seconds) > 5 && there > 5 {
			f.Leave()
		}
	}
	q := waiting(t, db)
	if on := q.On(); len(on) != 2 || on[0] != "here" || on[1] != "ssh:"+s.Address() || f.Jobs() != 2 {
		t.Errorf("on %q, %d jobs", on, f.Jobs())
	}
	states, failed := q.Look(t.Context(), request.Engines{})
	if len(states) != 2 || len(failed) != 0 {
		t.Errorf("%+v, %v", states, failed)
	}
	let()
	again, err := request.Rejoin(t.Context(), db, q, request.Engines{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := again.Wait().Rows
	for i, want := range []string{"", s.Address()} {
		u := rows[i].Update
		if rows[i].State != matrix.Done || rows[i].Host != want || u.StoppedBecause != "end" || len(u.Seconds) != 150 {
			t.Errorf("%s: %s, %q, %q, %d steps", rows[i].Host, rows[i].State, rows[i].Why, u.StoppedBecause, len(u.Seconds))
		}
		saved, err := report.Saved(t.Context(), db, u.Run.ID)
		if err != nil {
			t.Fatal(err)
		}
		if saved.Run.Status != profile.Done || len(saved.Seconds) != 150 || *saved.ScriptExit != 0 ||
			saved.Summary.Steady != u.Summary.Steady {
			t.Errorf("saved %+v, was %+v", saved.Summary, u.Summary)
		}
	}
	if all, err := request.ListQueued(t.Context(), db); err != nil || len(all) != 0 {
		t.Errorf("left: %+v, %v", all, err)
	}
	for _, run := range q.Runs {
		if left, _ := filepath.Glob(filepath.Dir(run.Spool) + "/*"); len(left) != 0 {
			t.Errorf("left of the records: %q", left)
		}
	}
}

// Whatever ends a job is said in one sentence, and what came until then is saved.
func TestEndsAreExplained(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(t *testing.T, q request.Queued)
		want string
	}{
		"its process is killed": {func(t *testing.T, q request.Queued) {
			states, _ := q.Look(t.Context(), request.Engines{})
			pid, err := strconv.Atoi(states[q.Jobs()[0].Name].ID)
			if err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
				t.Fatalf("no process to kill: %v", err)
			}
		}, "its process was killed, or the machine was restarted"},
		"it is cancelled": {func(t *testing.T, q request.Queued) {
			if err := q.Cancel(t.Context(), request.Engines{}); err != nil {
				t.Fatal(err)
			}
		}, "the job was cancelled or preempted"},
	} {
		t.Run(name, func(t *testing.T) {
			r, db, _ := detached(t)
			f, err := r.Enqueue(t.Context(), request.Environment{Store: db})
			if err != nil {
				t.Fatal(err)
			}
			ended := false
			for u := range f.Updates() {
				if !ended && len(u.Rows[0].Update.Seconds) > 5 {
					c.end(t, waiting(t, db))
					ended = true
				}
			}
			row := f.Wait().Rows[0]
			n := len(row.Update.Seconds)
			if row.State != matrix.Failed || !strings.Contains(row.Why, c.want) || n <= 5 || n >= 150 {
				t.Errorf("%s, %q after %d steps", row.State, row.Why, n)
			}
			if all, err := request.ListQueued(t.Context(), db); err != nil || len(all) != 0 {
				t.Errorf("left: %+v, %v", all, err)
			}
		})
	}
}

// A host that cannot be reached holds up only its own probes.
func TestOneHostOfSeveral(t *testing.T) {
	s := remote.ServeForTests(t)
	r, db, let := detached(t, "no-such-host.invalid", s.Address())
	let()
	f, err := r.Enqueue(t.Context(), request.Environment{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	rows := f.Wait().Rows
	if rows[0].State != matrix.Failed || !strings.Contains(rows[0].Why, "was not found") ||
		rows[1].State != matrix.Done || len(rows[1].Update.Seconds) != 150 {
		t.Errorf("%s, %q; %s, %q", rows[0].State, rows[0].Why, rows[1].State, rows[1].Why)
	}
	r.Hosts = r.Hosts[:1]
	if _, err := r.Enqueue(t.Context(), request.Environment{Store: db}); err == nil ||
		!strings.Contains(err.Error(), "was not found") {
		t.Errorf("%v", err)
	}
	if all, err := request.ListQueued(t.Context(), db); err != nil || len(all) != 0 {
		t.Errorf("left: %+v, %v", all, err)
	}
}

// Probes that are stopped end at a step; those whose turn had not come are no runs, and nothing runs on.
func TestStoppedThere(t *testing.T) {
	r, db, _ := detached(t)
	r.Repeats = 3
	f, err := r.Enqueue(t.Context(), request.Environment{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	for u := range f.Updates() {
		if len(u.Rows[0].Update.Seconds) > 5 && pid == 0 {
			q := waiting(t, db)
			states, _ := q.Look(t.Context(), request.Engines{})
			pid, _ = strconv.Atoi(states[q.Jobs()[0].Name].ID)
			f.Stop()
		}
	}
	rows := f.Wait().Rows
	if u := rows[0].Update; u.StoppedBecause != "interrupted" || u.Err != nil || rows[1].State != matrix.Skipped ||
		rows[2].State != matrix.Skipped {
		t.Errorf("%q, %v, %s, %s", u.StoppedBecause, u.Err, rows[1].State, rows[2].State)
	}
	words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // a zombie has none
	if pid == 0 || len(words) > 0 {
		t.Errorf("process %d runs on", pid)
	}
	set, err := db.Load(t.Context())
	if err != nil || len(set.Runs) != 1 {
		t.Errorf("%d runs, %v", len(set.Runs), err)
	}
}

// An engine of a host offers what its GPUs are, at once; here there may be none.
func TestOffersOfAHost(t *testing.T) {
	bin := t.TempDir()
	driver := []byte("#!/bin/sh\necho 'NVIDIA A100-SXM4-40GB, 40960'; echo 'NVIDIA A100-SXM4-40GB, 40960'\n")
	if err := os.WriteFile(filepath.Join(bin, "nvidia-smi"), driver, 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	s := remote.ServeForTests(t, "ForceCommand PATH="+bin+`:$PATH; eval "$SSH_ORIGINAL_COMMAND"`)
	h, err := remote.Parse(s.Address())
	if err != nil {
		t.Fatal(err)
	}
	offers, err := host.New(h, nil).Offers(t.Context())
	if err != nil || len(offers) != 1 {
		t.Fatalf("%+v, %v", offers, err)
	}
	o := offers[0]
	if o.GPU != "A100-SXM4-40GB" || o.Count != 2 || o.Nodes != 1 || o.USDPerHour != nil || o.Wait(time.Now()) != "none" ||
		o.Partitions[0] != s.Address() {
		t.Errorf("%+v", o)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := host.New(h, nil).Submit(ctx, queue.Batch{Name: "aa"}); err == nil {
		t.Error("submitted in spite of that")
	}
}
