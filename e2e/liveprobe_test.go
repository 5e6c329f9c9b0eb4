package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A model whose steps take a few milliseconds on any machine.
const tinyModel = `import time
from torch import nn

class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 10)

    def forward(self, x):
        time.sleep(0.003)
        return self.linear(x.flatten(1))

def tiny():
    return Tiny()
`

// probing starts a probe of the tiny model that goes on until it has
// to stop, and waits until it streams.
func (s *terminal) probing() {
	s.t.Helper()
	model := filepath.Join(s.work, "tiny.py")
	if err := os.WriteFile(model, []byte(tinyModel), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.waitFor("168 of 168", timeout)
	s.keys("p")
	s.waitFor("start the probe", timeout)
	fillForm(s, modelRow, "./tiny.py:tiny")
	fillForm(s, inputRow, "1x8x8")
	fillForm(s, trainRow, "6400")
	fillForm(s, epochsRow, "100000") // so that it does not end by itself
	s.keys("p")
	s.waitUntil("streaming", 90*time.Second, func(screen string) bool { return iterations(screen) > 0 })
	s.keys("+") // past the stop rule
}

// probingRow is the row of the running probe in the ranking.
func probingRow(screen string) string {
	at := strings.Index(screen, "╭ Ranking")
	if at < 0 {
		return ""
	}
	for _, line := range strings.Split(screen[at:], "\n") {
		if strings.Contains(line, "probing") {
			return line
		}
	}
	return ""
}

// While a probe runs its candidate is on Explore and moves; leaving asks, and
// "stop and save" saves.
func TestLiveProbe(t *testing.T) {
	t.Parallel()
	needTorch(t)
	s := start(t, 120, 40)
	s.probing()
	s.keys("1")
	s.waitFor("also predicted", timeout) // of the model nothing was run on a VM type
	s.keys("P")
	first := probingRow(s.waitUntil("showing the probe's candidate", time.Minute,
		func(screen string) bool { return probingRow(screen) != "" }))
	s.waitUntil("showing the candidate move", time.Minute, func(screen string) bool {
		now := probingRow(screen)
		return now != "" && now != first
	})
	s.keys("q")
	s.waitFor("stop and save", timeout)
	s.keys("n")
	s.waitUntil("staying", timeout, func(screen string) bool {
		return !strings.Contains(screen, "stop and save") && probingRow(screen) != ""
	})
	s.keys("q")
	s.waitFor("stop and save", timeout)
	s.keys("s")
	s.left(0)
	db := sound(t, s.home.profiles())
	if n := single[int](t, db, "SELECT count(*) FROM v_runs WHERE model = 'tiny' AND status = 'interrupted' AND "+
		"stopped_because = 'interrupted' AND steady_s > 0 AND iterations > 20"); n != 1 {
		t.Errorf("the run that was stopped: %s",
			single[string](t, db, "SELECT model || ' ' || status || ' ' || iterations FROM v_runs"))
	}
}

// children are the processes that a process started, theirs too.
func children(t testing.TB, pid int) []int {
	t.Helper()
	parents := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		if child, parent, ok := parentOf(string(text)); ok {
			parents[child] = parent
		}
	}
	var all []int
	for child := range parents {
		for at := parents[child]; at > 1; at = parents[at] {
			if at == pid {
				all = append(all, child)
				break
			}
		}
	}
	return all
}

// A hang-up or a request to end, also while a probe runs: the terminal is as
// before, the database sound with the run in it, and nothing runs on.
func TestSignals(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP,
		"SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, 100, 30)
			s.waitFor("168 of 168", timeout)
			if s.state("alternate_on") != "1" || s.state("mouse_any_flag") != "1" {
				t.Error("the program does not have the terminal")
			}
			if err := syscall.Kill(s.pid(), signal); err != nil {
				t.Fatal(err)
			}
			s.left(0)
		})
		t.Run(name+" while a probe runs", func(t *testing.T) {
			t.Parallel()
			needTorch(t)
			s := start(t, 120, 40)
			s.probing()
			s.waitUntil("measuring", time.Minute, func(screen string) bool { return iterations(screen) > 100 })
			probe := children(t, s.pid())
			if len(probe) == 0 {
				t.Fatal("the probe has no process")
			}
			if err := syscall.Kill(s.pid(), signal); err != nil {
				t.Fatal(err)
			}
			s.left(0)
			gone(t, probe)
			db := sound(t, s.home.profiles())
			if n := single[int](t, db, "SELECT count(*) FROM v_runs WHERE model = 'tiny' AND status = 'interrupted' AND "+
				"iterations > 100"); n != 1 {
				t.Errorf("the run is not kept: %s", single[string](t, db, "SELECT status || ' ' || iterations FROM v_runs"))
			}
		})
	}
}

// gone checks that processes end soon.
func gone(t testing.TB, pids []int) {
	t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		var left []int
		for _, pid := range pids {
			if alive(pid) {
				left = append(left, pid)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes %v are still there", left)
		}
	}
}

// A defect that panics, in a command or while a frame is drawn, while a probe
// runs: the real screens over a workspace that panics after two seconds.
func TestPanic(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"command", "view"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			s := startCommand(t, newHome(t), []string{roleVar + "=panic:" + where}, 100, 30, []string{self})
			s.waitFor("168 of 168", timeout)
			s.keys("p")
			s.waitFor("start the probe", timeout)
			s.keys("p")
			s.waitUntil("streaming", timeout, func(screen string) bool { return iterations(screen) > 0 })
			probe := children(t, s.pid())
			screen := s.waitFor("[exit ", timeout)
			if !strings.Contains(screen, "panic") {
				t.Errorf("nothing says what happened:\n%s", screen)
			}
			s.left(1)
			if len(probe) == 0 {
				t.Error("the probe had no process")
			}
			gone(t, probe)
			if n := single[int](t, sound(t, s.home.profiles()), "SELECT count(*) FROM runs WHERE status = 'interrupted' "+
				"AND iterations > 100"); n != 1 {
				t.Error("what the probe measured is not kept")
			}
		})
	}
}
