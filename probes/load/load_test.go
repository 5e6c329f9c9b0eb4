package load

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sweetspot/probes/protocol"
)

// Other work is interference where it is much and leaves no CPU free; on a machine that is
// else idle, beside a probe that uses all of it, or beside free CPUs nothing is said.
func TestInterference(t *testing.T) {
	many := func(r Reading) []Reading { return []Reading{r, r, r, r} }
	for name, c := range map[string]struct {
		readings []Reading
		is       bool
	}{
		"an idle machine":        {many(Reading{Others: 0.01, Idle: 0.6}), false},
		"a probe that takes all": {many(Reading{Others: 0.02, Idle: 0}), false},
		"free CPUs":              {many(Reading{Others: 0.3, Idle: 0.4}), false},
		"two loops beside it":    {many(Reading{Others: 0.5, Idle: 0.01}), true},
		"a moment":               {append(many(Reading{Others: 0.01, Idle: 0.3}), Reading{Others: 0.9}), false},
		"too few readings":       {many(Reading{Others: 0.9})[:1], false},
		"none":                   {nil, false},
	} {
		if got := Of(c.readings); (got != nil) != c.is {
			t.Errorf("%s: %+v", name, got)
		}
	}
	i := Of(many(Reading{Others: 0.4, Idle: 0.01}))
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
	u, ok := read(dir, 10)
	if want := (usage{busy: 140, idle: 530, own: 33}); !ok || u != want {
		t.Errorf("%+v, want %+v", u, want)
	}
	if r, ok := (usage{240, 630, 83}).since(u); !ok || r.Others != 0.25 || r.Idle != 0.5 {
		t.Errorf("%+v", r)
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
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the load of its CPUs")
	}
	for range runtime.NumCPU() {
		c := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		}()
	}
	idle := exec.CommandContext(t.Context(), "sleep", "60")
	if err := idle.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = idle.Process.Kill()
		_ = idle.Wait()
	}()
	observed := func(pid int) (readings []Reading) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		Observer(pid, 500*time.Millisecond)(ctx, func(e protocol.Event) {
			if readings = append(readings, e.(Reading)); len(readings) == 4 {
				cancel()
			}
		})
		return readings
	}
	beside := observed(idle.Process.Pid)
	if Of(beside) == nil {
		t.Errorf("loops beside a probe: %+v", beside)
	}
	mean := func(readings []Reading) (others float64) {
		for _, r := range readings {
			others += r.Others / float64(len(readings))
		}
		return others
	}
	if within := observed(os.Getpid()); len(within) == 0 || mean(within) >= mean(beside) {
		t.Errorf("others took %.2f beside the loops, %.2f as their parent", mean(beside), mean(within))
	}
}
