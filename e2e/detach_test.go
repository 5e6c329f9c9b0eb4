package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// attached is what attach prints of a run as JSON.
type attached struct {
	Run struct {
		Iterations int    `json:"iterations"`
		Status     string `json:"status"`
	} `json:"run"`
}

// collect stops the background probe by attach, which must show its run whole:
// every iteration from the first, more than there were when the terminal went.
func collect(t *testing.T, user home, db string, before int) {
	t.Helper()
	s := run(t, user, "attach", "--stop", "--json")
	if s.code != 0 {
		t.Fatalf("attach: %+v", s)
	}
	var shown attached
	if err := json.Unmarshal([]byte(s.out), &shown); err != nil {
		t.Fatalf("%v: %s", err, s.out)
	}
	file := sound(t, db)
	kept, last := single[int](t, file, "SELECT count(*) FROM iterations"),
		single[int](t, file, "SELECT max(seq) + 1 FROM iterations")
	if kept <= before || kept != last || shown.Run.Iterations != kept || shown.Run.Status != "interrupted" {
		t.Errorf("%d iterations are kept, the last is number %d, %d had been seen; attach shows %+v", kept, last,
			before, shown)
	}
	if n := single[int](t, file, "SELECT count(*) FROM runs"); n != 1 {
		t.Errorf("%d runs", n)
	}
	if again := run(t, user, "attach"); again.code != 1 ||
		!strings.Contains(again.stderr, "no probe is running in the background") {
		t.Errorf("attach with nothing left: %+v", again)
	}
	if again := run(t, user, "attach", "1", "--json", "--db", db); again.code != 0 || !json.Valid([]byte(again.out)) {
		t.Errorf("attach to the run that has ended: %+v", again)
	}
}

// grows waits until a database holds more iterations.
func grows(t *testing.T, db string, beyond int) {
	t.Helper()
	file := sound(t, db)
	for deadline := time.Now().Add(timeout); single[int](t, file, "SELECT count(*) FROM iterations") <= beyond; {
		if time.Now().After(deadline) {
			t.Fatalf("after %s there are no more than %d iterations", timeout, beyond)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// The terminal goes while the screens probe with --detach, as when a
// connection drops: the probe goes on, and attach shows the run whole.
func TestDetachedScreens(t *testing.T) {
	t.Parallel()
	needTorch(t)
	s := start(t, 120, 40, "--detach")
	s.probing()
	screen := s.waitUntil("measuring", time.Minute, func(screen string) bool { return iterations(screen) > 100 })
	pid := s.pid()
	s.tmux("kill-server")
	gone(t, []int{pid})
	grows(t, s.home.profiles(), iterations(screen)+100) // the probe, alone now, goes on
	collect(t, s.home, s.home.profiles(), iterations(screen)+100)
}

// The same of the command: what watches is hung up, interrupted or killed.
func TestDetachedProbe(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"hung up": syscall.SIGHUP, "interrupted": syscall.SIGINT,
		"killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user := newHome(t)
			db := filepath.Join(user.dir, "runs.db")
			cmd := probeCommand(user, db, filepath.Join(user.dir, "diary"), "--keep-running", "--detach")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			before := 0
			for deadline := time.Now().Add(timeout); before < 200; time.Sleep(50 * time.Millisecond) {
				if file, err := database(db); err == nil {
					_ = file.QueryRow("SELECT count(*) FROM iterations").Scan(&before) // no table yet
					file.Close()
				}
				if time.Now().After(deadline) {
					t.Fatalf("after %s there are %d iterations", timeout, before)
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			grows(t, db, before+100) // the probe, alone now, goes on
			collect(t, user, db, before+100)
		})
	}
}

// Screens that are left by the key for it leave the probe running, too.
func TestLeavingAProbe(t *testing.T) {
	t.Parallel()
	needTorch(t)
	s := start(t, 120, 40, "--detach")
	s.probing()
	screen := s.waitUntil("measuring", time.Minute, func(screen string) bool { return iterations(screen) > 100 })
	s.keys("q")
	s.waitFor("detach", timeout)
	s.keys("l")
	s.left(0)
	grows(t, s.home.profiles(), iterations(screen)+100)
	collect(t, s.home, s.home.profiles(), iterations(screen))
}
