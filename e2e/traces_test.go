package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Fleet and Traffic in a terminal: the synthetic loads they begin with, every
// slider, a trace of one's own from a file, an export that reads back.
func TestFleetInATerminal(t *testing.T) {
	t.Parallel()
	s := start(t, 120, 40)
	s.waitFor("168 of 168", timeout)
	s.keys("3")
	s.waitFor("of 18,187 jobs can be asked", timeout)
	s.waitFor("lowest bill at", timeout)
	for _, slider := range []string{"reserved VMs", "on demand", "reserved", "INT8 time", "deadline", "users"} {
		before := s.settled()
		s.keys("]")
		s.waitUntil("changed by "+slider, timeout, func(screen string) bool { return screen != before })
		s.settled()
		s.keys("Down")
	}
	s.keys("d")
	s.waitFor("least-loaded ·", timeout)

	trace := "submit_s,runtime_s,gpus,deadline_s,model\n"
	for i := range 300 {
		trace += fmt.Sprintf("%d,%d,1,,\n", 60*i, 600+7*(i%50))
	}
	if err := os.WriteFile(filepath.Join(s.work, "jobs.csv"), []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	s.keys("o")
	s.waitFor("jobs.csv", timeout)
	s.write("jobs")
	s.keys("Enter")
	s.waitFor("of 300 jobs can be asked", timeout)
	s.keys("e")
	s.waitFor("\"command\"", timeout)
	s.keys("Enter")
	s.waitFor("wrote fleet.json", timeout)
	var written struct {
		Command  string
		Workload struct{ Jobs int }
	}
	readBack(t, filepath.Join(s.work, "fleet.json"), &written)
	if written.Command != "fleet" || written.Workload.Jobs != 300 {
		t.Errorf("wrote %+v", written)
	}
	s.keys("q")
	s.left(0)
}

func TestTrafficInATerminal(t *testing.T) {
	t.Parallel()
	s := start(t, 120, 40)
	s.waitFor("168 of 168", timeout)
	s.keys("4")
	s.waitFor("the study's m4.large", timeout)
	s.waitFor("a month", timeout)
	for _, slider := range []string{"latency", "accuracy", "strict", "VM start-up", "function", "VM", "load"} {
		if slider != "accuracy" { // there is nothing to choose by it without a model
			before := s.settled()
			s.keys("]")
			s.waitUntil("changed by "+slider, timeout, func(screen string) bool { return screen != before })
			s.settled()
		}
		s.keys("Down")
	}
	trace := "second,requests\n"
	for i := range 900 {
		trace += fmt.Sprintf("%d,%d\n", i, 20+i%7)
	}
	if err := os.WriteFile(filepath.Join(s.work, "arrivals.csv"), []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	s.keys("o")
	s.waitFor("arrivals.csv", timeout)
	s.write("arrivals")
	s.keys("Enter")
	s.waitFor("in 15 m 00 s", timeout)
	s.keys("e")
	s.waitFor("\"command\"", timeout)
	s.keys("Enter")
	s.waitFor("wrote traffic.json", timeout)
	var written struct {
		Command string
		Trace   struct{ Seconds int }
		Schemes []struct{ Scheme string }
	}
	readBack(t, filepath.Join(s.work, "traffic.json"), &written)
	if written.Command != "traffic" || written.Trace.Seconds != 900 || len(written.Schemes) != 5 {
		t.Errorf("wrote %+v", written)
	}
	s.keys("q")
	s.left(0)
}

func readBack(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// Every wrong trace ends in one sentence with the row, or is handled and said so.
func TestWrongTraces(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	for _, c := range []struct {
		verb, name, text string
		code             int
		says             []string
	}{
		{"fleet", "empty.csv", "", 1, []string{"empty"}},
		{"fleet", "negative.csv", "submit_s,runtime_s\n0,5\n-3,5\n", 1, []string{"row 3", "submit_s"}},
		{"fleet", "columns.csv", "start,length\n0,5\n", 1, []string{"submit_s", "start"}},
		{"fleet", "early.csv", "submit_s,runtime_s,deadline_s\n10,5,3\n", 1, []string{"row 2", "deadline"}},
		{"fleet", "nan.csv", "submit_s,runtime_s\n0,NaN\n", 1, []string{"row 2", "runtime_s"}},
		{"fleet", "cells.csv", "submit_s,runtime_s\n0,5,7\n", 1, []string{"row 2"}},
		{"fleet", "unsorted.csv", "submit_s,runtime_s\n900,50\n0,50\n500,60\n", 0, []string{"sorted"}},
		{"traffic", "empty.csv", "", 1, []string{"empty"}},
		{"traffic", "negative.csv", "second,requests\n0,5\n1,-5\n", 1, []string{"row 3", "requests"}},
		{"traffic", "columns.csv", "when,how many\n0,5\n", 1, []string{"time_s", "when"}},
		{"traffic", "nan.csv", "time_s\nNaN\n", 1, []string{"row 2", "time_s"}},
		{"traffic", "long.csv", "second,requests\n0,5\n99999999,5\n", 1, []string{"row 3", "31"}},
		{"traffic", "unsorted.csv", "time_s\n9\n3\n4\n", 0, []string{"sorted"}},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t, user, c.verb, "--trace", path)
		if got.code != c.code {
			t.Errorf("%s %s: exit code %d, not %d: %s", c.verb, c.name, got.code, c.code, got.stderr)
		}
		if c.code != 0 && strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s %s: not one sentence: %q", c.verb, c.name, got.stderr)
		}
		for _, want := range c.says {
			if !strings.Contains(got.stderr+got.out, want) {
				t.Errorf("%s %s: nothing of %q in %q", c.verb, c.name, want, got.stderr+got.out)
			}
		}
	}
}
