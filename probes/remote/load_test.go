package remote

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/probes/load"
	"sweetspot/probes/load/loadtest"
	"sweetspot/probes/protocol"
)

// Busy loops that are not the probe's are interference with one that is busy there, and not with
// one that sleeps.
func TestOtherWorkThere(t *testing.T) {
	loadtest.Busy(t)
	s := serve(t)
	for name, c := range map[string]struct {
		script string
		loses  bool
	}{
		"a probe that sleeps": {script: "sleep 5"},
		"one at work":         {script: "timeout 5 sh -c 'while :; do :; done'", loses: true},
	} {
		p, out := start(t, s, sh(c.script), Options{Load: 300 * time.Millisecond})
		p.Wait()
		out.wg.Wait()
		var sum load.Sum
		readings := 0
		for r := protocol.NewReader(strings.NewReader(out.events.String())); ; {
			item, err := r.Next()
			if err != nil {
				break
			}
			e, is := item.Event.(protocol.Load)
			if !is || e.T == nil || e.Active == nil {
				t.Fatalf("%s: %+v", name, item)
			}
			if e.Idle > 0.1 { // the loops had not begun
				continue
			}
			readings++
			sum.Add(e)
		}
		if i := sum.Interference(1); readings < 3 || (i != nil && i.Lost > 0.1) != c.loses {
			t.Errorf("%s: %d readings, %+v", name, readings, i)
		}
	}
}

// The agent reads a machine as sweetspot reads its own.
func TestReadsTheLoadAlike(t *testing.T) {
	python := need(t, "python3", "python3")
	const program = `
import load, sys
u = load.read(sys.argv[1], 10)
print(round(u["own"], 9), round(u["busy"], 9), round(u["idle"], 9), u["below"], u["delays"])
print(load.read(sys.argv[1], 11)["delays"], load.read("/nowhere", 1), load.since(dict(at=1, busy=1, idle=1, own=0, below=0, delays={}), None))
`
	dir := t.TempDir()
	files := map[string]string{
		"stat":                 "cpu  100 10 20 500 30 5 5 0 0 0\ncpu0 1 2 3\n",
		"10/stat":              "10 (a) b) 1) S 1 0 0 0 0 0 0 0 0 0 7 3 2 1 20 0",
		"11/stat":              "11 (b\nc) S 10 0 0 0 0 0 0 0 0 0 10 0 0 0 20 0",
		"13/stat":              "13 (other) S 1 0 0 0 0 0 0 0 0 0 900 0 0 0 20 0",
		"14/stat":              "14 (cut",
		"10/schedstat":         "5000000 750000000 7\n",
		"10/task/10/schedstat": "5000000 750000000 7\n",
		"11/task/12/schedstat": "5000000 250000000 7\n",
		"13/task/13/schedstat": "1 9000000000 1\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), python, "-c", program, dir)
	c.Env = append(c.Environ(), "PYTHONPATH=python", "PYTHONDONTWRITEBYTECODE=1")
	out, err := c.CombinedOutput()
	if want := "0.23 1.4 5.3 0.1 {'12': 0.25}\nNone None None\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}
