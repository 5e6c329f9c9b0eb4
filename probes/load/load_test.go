package load

import (
	"context"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sweetspot/probes/load/loadtest"
	"sweetspot/probes/protocol"
)

// Other work is interference where it is much and leaves no CPU free; on a machine that is
// else idle, beside a probe that uses all of it, or beside free CPUs nothing is said. A probe
// that mostly waits loses no more than it was active, all of which may have been in its steps.
func TestInterference(t *testing.T) {
	sum := func(readings ...protocol.Load) (s Sum) {
		for _, r := range readings {
			s.Add(r)
		}
		return s
	}
	many := func(r protocol.Load) Sum { return sum(r, r, r, r) }
	busy := protocol.Load{Seconds: 1, Others: 0.9}
	active := func(share float64) protocol.Load {
		return protocol.Load{Seconds: 1, Others: 0.9, Active: &share}
	}
	for name, c := range map[string]struct {
		sum      Sum
		stepping float64
		lost     float64 // 0 for no interference
	}{
		"an idle machine":         {many(protocol.Load{Seconds: 1, Others: 0.01, Idle: 0.6}), 1, 0},
		"a probe that takes all":  {many(protocol.Load{Seconds: 1, Others: 0.02}), 1, 0},
		"free CPUs":               {many(protocol.Load{Seconds: 1, Others: 0.3, Idle: 0.4}), 1, 0},
		"two loops beside it":     {many(protocol.Load{Seconds: 1, Others: 0.5, Idle: 0.01}), 1, 0.5},
		"a short moment":          {sum(protocol.Load{Seconds: 20, Others: 0.01, Idle: 0.3}, busy), 1, 0},
		"one reading":             {sum(busy), 1, 0},
		"none":                    {Sum{}, 1, 0},
		"it sleeps":               {many(active(0.01)), 1, 0},
		"it mostly sleeps":        {many(active(0.2)), 1, 0.2},
		"it sleeps between steps": {many(active(0.2)), 0.4, 0.5},
		"it never sleeps":         {many(active(1)), 1, 0.9},
		"steps unknown":           {many(active(0.2)), 0, 0.9},
	} {
		got := c.sum.Interference(c.stepping)
		if (got != nil) != (c.lost > 0) || got != nil && math.Abs(got.Lost-c.lost) > 1e-9 {
			t.Errorf("%s: %+v, want %g lost", name, got, c.lost)
		}
	}
	s := many(protocol.Load{Seconds: 1, Others: 0.4, Idle: 0.01})
	i := s.Interference(1)
	if got := i.Words(0.01); !strings.Contains(got, "other programs used 40.0 % of the CPUs") ||
		!strings.Contains(got, "6.00 ms") || i.Least(1) != 0.6 {
		t.Error(got)
	}
}

// The time of a process is that of all below it, however they are called.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rest := " 0 0 0 0 0 0 0 0 0 "
	write("stat", "cpu  100 10 20 500 30 5 5 0 0 0\ncpu0 1 2 3\n")
	write("10/stat", "10 (a) b) 1) S 1"+rest+"7 3 2 1 20 0")
	write("11/stat", "11 (b c) S 10"+rest+"10 0 0 0 20 0")
	write("12/stat", "12 (c) S 11"+rest+"5 5 0 0 20 0")
	write("13/stat", "13 (other) S 1"+rest+"900 0 0 0 20 0")
	write("14/stat", "14 (cut")
	write("10/schedstat", "5000000 750000000 7\n")
	write("10/task/10/schedstat", "5000000 750000000 7\n")
	write("12/task/12/schedstat", "5000000 250000000 7\n")
	write("12/task/15/schedstat", "1 500000000 1\n")
	write("13/task/13/schedstat", "1 9000000000 1\n")
	u, ok := read(dir, 10)
	if !ok || u.busy != 140 || u.idle != 530 || u.own != 33 || u.below != 20 ||
		!maps.Equal(u.delays, map[int]float64{12: 0.25, 15: 0.5}) {
		t.Errorf("%+v", u)
	}
	later := usage{u.at.Add(2 * time.Second), 240, 630, 83, 70, map[int]float64{12: 0.5, 16: 0.25}}
	if r, ok := later.since(u); !ok || r.Others != 0.25 || r.Idle != 0.5 || r.Seconds != 2 || *r.Active != 0.5 {
		t.Errorf("%+v", r)
	}
	if u, ok := read(dir, 11); !ok || u.delays != nil {
		t.Errorf("a kernel that does not count: %+v", u)
	}
	later.delays = nil
	if r, ok := later.since(u); !ok || r.Active != nil {
		t.Errorf("without delays %+v", r)
	}
	if _, ok := u.since(u); ok {
		t.Error("a reading of no time")
	}
	if _, ok := read(t.TempDir(), 1); ok {
		t.Error("a reading of nothing")
	}
}

// A busy loop per CPU is seen where it is not the probe's, and is the probe's where it is.
func TestBusyLoops(t *testing.T) {
	loadtest.Busy(t)
	idle := exec.CommandContext(t.Context(), "sh", "-c", "sleep 60; :")
	if err := idle.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = idle.Process.Kill()
		_ = idle.Wait()
	}()
	observed := func(pid int) (sum Sum, active float64) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		n := 0
		Observer(pid, 500*time.Millisecond)(ctx, func(e protocol.Event) {
			r := e.(protocol.Load)
			sum.Add(r)
			active = max(active, *r.Active)
			if n++; n == 4 {
				cancel()
			}
		})
		return sum, active
	}
	var beside, within Sum
	var active float64
	for range 5 { // what else the machine does comes and goes, but is the same for both
		beside, within = Sum{}, Sum{}
		var both sync.WaitGroup
		both.Go(func() { beside, _ = observed(idle.Process.Pid) })
		both.Go(func() { within, active = observed(os.Getpid()) })
		both.Wait()
		if within.others/within.seconds < beside.others/beside.seconds {
			break
		}
	}
	if beside.Interference(0) == nil || beside.active > 0.1*beside.seconds {
		t.Errorf("loops beside a probe that sleeps: %+v", beside)
	}
	if within.others/within.seconds >= beside.others/beside.seconds || active < 0.5 {
		t.Errorf("others took %.2f of %.2f s beside the loops, %.2f of %.2f s as their parent, active %.2f", beside.others,
			beside.seconds, within.others, within.seconds, active)
	}
}
