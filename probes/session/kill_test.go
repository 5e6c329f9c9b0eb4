package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
)

var torchContext = context.Background()

// victim makes the test binary record a probe into the database it names, to
// be killed.
const victim = "SWEETSPOT_TEST_VICTIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(victim); path != "" {
		record(path)
	}
	os.Exit(m.Run())
}

func record(path string) {
	s, err := store.Open(context.Background(), path)
	if err != nil {
		panic(err)
	}
	o := shell(s, `echo $$ >"$PIDFILE"; i=0; while :; do echo `+
		`"{\"sweetspot\":1,\"event\":\"iteration\",\"index\":$i,\"seconds\":0.5}"; i=$((i+1)); echo $i >"$PIDFILE.n"; `+
		`sleep 0.01; done`)
	o.KeepRunning = true
	p, err := Start(context.Background(), o)
	if err != nil {
		panic(err)
	}
	p.Wait()
	os.Exit(0)
}

// Killed at whatever moment, the recorder leaves a sound database with
// everything up to the last second, and the script does not go on for ever.
func TestKilled(t *testing.T) {
	for _, after := range []time.Duration{0, 300 * time.Millisecond, 900 * time.Millisecond} {
		path := filepath.Join(t.TempDir(), "profiles.db")
		pidFile := filepath.Join(t.TempDir(), "pid")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), victim+"="+path, "PIDFILE="+pidFile)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the script to begin", func() bool { return number(pidFile) > 0 && number(pidFile+".n") > 0 })
		time.Sleep(after)
		sent := number(pidFile + ".n")
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed, as asked
		s, err := store.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		set, err := s.Load(t.Context())
		if err != nil || len(set.Runs) != 1 {
			t.Fatalf("%d runs, %v", len(set.Runs), err)
		}
		its, err := s.Iterations(t.Context(), set.Runs[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		if lost := sent - len(its); lost > 100 { // a second of steps of 10 ms
			t.Errorf("killed after %s: %d of %d iterations saved", after, len(its), sent)
		}
		if st := set.Runs[0].Status; st != profile.Running && st != profile.Interrupted {
			t.Errorf("status %s", st)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		pid := number(pidFile)
		if runtime.GOOS != "linux" {
			_ = syscall.Kill(pid, syscall.SIGKILL) // elsewhere it ends when its output breaks
		}
		waitFor(t, "the script to end", func() bool { return !running(pid) })
	}
}

func number(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return n
}

func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return syscall.Kill(pid, 0) == nil
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 6000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited 60 s for %s", what)
}
