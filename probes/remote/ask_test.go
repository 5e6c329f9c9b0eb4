package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"sweetspot/probes/runner"
)

const testJob = "00112233445566aa00"

// jobOf is a job of one probe there.
func jobOf(t *testing.T, h Host, c runner.Command) Job {
	t.Helper()
	lodging, err := Lodge(t.Context(), h, false)
	if err != nil {
		t.Fatal(err)
	}
	return Job{Name: testJob, Root: lodging.Root, Grace: time.Second,
		Probes: []Queued{{Command: c, Spool: testJob + "00"}}}
}

func submit(t *testing.T, h Host, j Job) (pid int) {
	t.Helper()
	id, err := Submit(t.Context(), h, j)
	if err != nil {
		t.Fatal(err)
	}
	if pid, err = strconv.Atoi(id); err != nil {
		t.Fatal(err)
	}
	return pid
}

// watched follows the first probe of a job that runs.
func watched(t *testing.T, h Host, j Job) (*Process, *output) {
	t.Helper()
	p, err := Watch(h, j.Root+"/"+j.Probes[0].Spool+"00", j.Name, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	out := collect(t, p)
	if err := <-p.Ready(); err != nil {
		t.Fatal(err)
	}
	return p, out
}

// A connection that is cut before all of a job has arrived begins nothing, and leaves nothing.
func TestJobArrivesWhole(t *testing.T) {
	state := t.TempDir()
	c := runner.Command{Argv: []string{"true"}, Files: fstest.MapFS{"a.py": {Data: []byte("pass")}}}
	j := Job{Name: testJob, Root: filepath.Join(state, "queue"), Grace: time.Second,
		Probes: []Queued{{Command: c, Spool: testJob + "00"}}}
	h, files, err := j.header("submit")
	if err != nil {
		t.Fatal(err)
	}
	h.Mark, h.Silence = "mark", 60
	all, err := preamble(h, files)
	if err != nil {
		t.Fatal(err)
	}
	program := len(strconv.Itoa(len(agent()))) + 1 + len(agent())
	for name, arrives := range map[string]int{"nothing": 0, "part of a number": 2, "half the agent": program / 2,
		"the agent": program, "half the job": (program + len(all) - len(files)) / 2,
		"half the files": len(all) - len(files)/2, "all but the word to begin": len(all)} {
		words := sshWords(Here, "")
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Stdin = bytes.NewReader(all[:arrives])
		_ = cmd.Run() // it may fail or not
		if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
	pid := submit(t, Here, j)
	waitFor(t, "the job to end", func() bool { return !running(pid) })
	states, err := Look(t.Context(), Here, j.Root, []string{j.Name})
	if want := (JobState{ID: strconv.Itoa(pid), Over: true}); err != nil || states[j.Name] != want {
		t.Errorf("the whole job is %+v, %v", states[j.Name], err)
	}
}

// A job goes on where the connection was cut, and whoever follows it gets all it wrote; in the end nothing is left.
func TestJobOutlivesTheConnection(t *testing.T) {
	s := serve(t)
	gate := filepath.Join(t.TempDir(), "gate") // for all steps but the first 20
	j := jobOf(t, s.host, sh(`i=0; while [ $i -lt 300 ]; do echo "{\"step\":$i}" >&3; i=$((i+1)); `+
		`while [ $i -eq 20 ] && ! [ -e '`+gate+`' ]; do sleep 0.05; done; done; sleep 1`))
	pid := submit(t, s.host, j)
	p, out := watched(t, s.host, j)
	waitFor(t, "some steps", func() bool { return out.eventLines() > 5 })
	s.cut()
	if exit := p.Wait(); exit.Lost == nil || !strings.Contains(exit.Lost.Error(), "goes on there") {
		t.Fatalf("exit %+v", exit)
	}
	if !running(pid) {
		t.Fatal("the job ended with the connection")
	}
	// Twice at once, as two people may; then after its end.
	for _, when := range []string{"while it runs", "after its end"} {
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { followsAll(t, s.host, j, when, gate) })
		}
		group.Wait()
	}
	waitFor(t, "the job to end", func() bool {
		states, err := Look(t.Context(), s.host, j.Root, []string{j.Name})
		return err == nil && states[j.Name].Over && !states[j.Name].Runs
	})
	if err := Clear(t.Context(), s.host, j.Root, j.Name); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(j.Root); err != nil || len(left) != 0 {
		t.Errorf("left there: %v, %v", left, err)
	}
	if states, err := Look(t.Context(), s.host, j.Root, []string{j.Name}); err != nil || len(states) != 0 {
		t.Errorf("still known: %+v, %v", states, err)
	}
}

func followsAll(t *testing.T, h Host, j Job, when, gate string) {
	again, all := watched(t, h, j)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Error(err)
	}
	if exit := again.Wait(); exit != (runner.Exit{}) || !again.Collected() {
		t.Errorf("%s: exit %+v", when, exit)
	}
	all.wg.Wait()
	var want strings.Builder
	for i := range 300 {
		fmt.Fprintf(&want, "{\"step\":%d}\n", i)
	}
	if got := all.events.String(); got != want.String() {
		t.Errorf("%s: %d bytes of events, want %d; they end %q", when, len(got), want.Len(), last(got))
	}
	if f, ok := again.Facts(); !ok || f.CPUs < 1 {
		t.Errorf("%s: facts %+v", when, f)
	}
	if age := time.Since(again.Started()); when != "while it runs" && age < time.Second {
		t.Errorf("%s: started %s ago", when, age)
	}
}

// However often and at once a job is submitted under one name, it begins once; a look tells that it runs, and a cancel
// returns when it does not any more.
func TestSubmittedOnce(t *testing.T) {
	s := serve(t)
	for name, h := range map[string]Host{"over ssh": s.host, "here": Here} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			begun := filepath.Join(t.TempDir(), "begun")
			j := jobOf(t, h, sh("echo x >>"+begun+"; exec sleep 300"))
			j.Root = filepath.Join(t.TempDir(), "a folder", "that's new")
			ids := make([]string, 4)
			var group sync.WaitGroup
			for i := range ids {
				group.Go(func() {
					var err error
					if ids[i], err = Submit(t.Context(), h, j); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			pid := submit(t, h, j)
			waitFor(t, "the command", func() bool { text, _ := os.ReadFile(begun); return len(text) > 0 })
			states, err := Look(t.Context(), h, j.Root, []string{j.Name, "00112233445566aa01"})
			if s := states[j.Name]; err != nil || len(states) != 1 || !s.Runs || s.Over || s.ID != strconv.Itoa(pid) {
				t.Errorf("%+v, %v, want process %d", states, err, pid)
			}
			for _, id := range ids {
				if id != strconv.Itoa(pid) && id != "" { // one that came while it began knows no number yet
					t.Errorf("processes %q, want %d", ids, pid)
				}
			}
			if info, err := os.Stat(j.Root); err != nil || info.Mode() != fs.ModeDir|0o700 {
				t.Errorf("the folder is %v, %v", info.Mode(), err)
			}
			if err := Cancel(t.Context(), h, j.Root, []string{j.Name, "00112233445566aa01"}); err != nil {
				t.Fatal(err)
			}
			if running(pid) {
				t.Error("it runs on")
			}
			states, err = Look(t.Context(), h, j.Root, []string{j.Name})
			if s := states[j.Name]; err != nil || s.Runs || !s.Over || s.Said != "the job was cancelled or preempted" {
				t.Errorf("%+v, %v", states, err)
			}
			submit(t, h, j) // is none again
			if text, _ := os.ReadFile(begun); string(text) != "x\n" {
				t.Errorf("it began %q", text)
			}
		})
	}
}

// What a host cannot do is its own word, and a job whose process was killed is not said to have ended by itself.
func TestJobsThatFail(t *testing.T) {
	j := jobOf(t, Here, sh("exec sleep 300"))
	j.Root = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(j.Root, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Submit(t.Context(), Here, j); !errors.Is(err, ErrRefused) ||
		!strings.Contains(err.Error(), "could not be written there") {
		t.Errorf("%v", err)
	}
	j.Root = t.TempDir()
	pid := submit(t, Here, j)
	watched(t, Here, j)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the process to end", func() bool { return !running(pid) })
	states, err := Look(t.Context(), Here, j.Root, []string{j.Name})
	if s := states[j.Name]; err != nil || s.Runs || s.Over {
		t.Errorf("%+v, %v", states, err)
	}
	// A file without a number, and one of a process that never signed.
	for name, text := range map[string]string{"aa": "12x", "bb": ""} {
		path := filepath.Join(j.Root, name+".lock")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if old := time.Now().Add(-time.Hour); os.Chtimes(path, old, old) != nil {
			t.Fatal("the file cannot be made older")
		}
	}
	states, err = Look(t.Context(), Here, j.Root, []string{"aa", "bb"})
	if err != nil || len(states) != 2 || states["aa"] != (JobState{}) || states["bb"] != (JobState{}) {
		t.Errorf("%+v, %v", states, err)
	}
	if err := Cancel(t.Context(), Here, j.Root, []string{"aa", "bb", j.Name}); err != nil {
		t.Error(err)
	}
}
