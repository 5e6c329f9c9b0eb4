package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"sweetspot/data/library"
	"sweetspot/engine/profile"
)

// work is what a process does to a database while its disk fails. Each step is
// whole or not there at all.
type work []func(ctx context.Context, s *Store) error

var works = map[string]work{
	"import": {importing(0, 2), importing(1, 2)},
	"merge":  {mergingOf("other.db"), mergingOf("old.db")},
	"delete": {
		func(ctx context.Context, s *Store) error { _, err := s.Delete(ctx, RunTable, 1, 3); return err },
		func(ctx context.Context, s *Store) error { _, err := s.Undelete(ctx, 0); return err },
		func(ctx context.Context, s *Store) error { _, err := s.Delete(ctx, PickTable, 1); return err },
		func(ctx context.Context, s *Store) error { _, err := s.Purge(ctx); return err },
	},
	"rename": {
		renaming("other", "half"), renaming("resnet18", ""),
		func(ctx context.Context, s *Store) error {
			_, err := s.Annotate(ctx, RunTable, 1, "a note")
			return err
		},
	},
}

// importing imports one part of the built-in runs.
func importing(part, of int) func(context.Context, *Store) error {
	return func(ctx context.Context, s *Store) error {
		lib, err := library.Load()
		if err != nil {
			return err
		}
		n := len(lib.Runs) / of
		_, err = s.Import(ctx, &profile.Set{Models: lib.Models, Runs: lib.Runs[part*n : (part+1)*n], VMTypes: lib.VMTypes[:9]})
		return err
	}
}

func mergingOf(name string) func(context.Context, *Store) error {
	return func(ctx context.Context, s *Store) error {
		_, err := s.Merge(ctx, filepath.Join(filepath.Dir(s.Path()), name))
		return err
	}
}

func renaming(model, variant string) func(context.Context, *Store) error {
	return func(ctx context.Context, s *Store) error {
		_, err := s.Rename(ctx, []RunName{{Run: 2, Model: model, Variant: variant}})
		return err
	}
}

// playWork does the work and says after each step that it is done: what is said
// must last.
func playWork(of string) func(path string) error {
	return func(path string) error {
		ctx := context.Background()
		s, err := Open(ctx, path)
		for i := 0; err == nil && i < len(works[of]); i++ {
			if err = works[of][i](ctx, s); err == nil {
				fmt.Println("done")
			}
		}
		if err != nil {
			fmt.Println("failed:", err)
		}
		if s != nil {
			_ = s.Close() // what is in the log stays there
		}
		return nil
	}
}

// faultyDisk builds the library that makes calls of other processes fail.
func faultyDisk(t *testing.T) string {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("gcc is missing, and with CI=true nothing may be skipped")
		}
		t.Skip("gcc is not installed")
	}
	lib := filepath.Join(t.TempDir(), "diskfault.so")
	out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", lib, "testdata/diskfault.c", "-ldl", "-lpthread").
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return lib
}

// Whichever write to the disk fails, and however: the database opens, is sound,
// holds what was said to be done, has each step whole or not at all, and the work
// can go on. A few of the calls are tried; with SWEETSPOT_DISKFAULTS=all every one.
func TestFailingDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("every call is a program's of its own, so the race detector sees none")
	}
	t.Parallel()
	lib := faultyDisk(t)
	for name, work := range works {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			layoutFive(t, filepath.Join(base, "old.db"))
			for _, db := range []string{"other.db", "p.db"} {
				if db == "p.db" && name == "import" {
					continue // is made in the course of it
				}
				s := openAt(t, filepath.Join(base, db))
				fillPlainly(t, s)
				must(t, s.Close())
			}
			states := statesOf(t, base, work)
			calls, done := faulted(t, lib, base, name, "0:eio", states)
			if done != len(work) || calls < 20 {
				t.Fatalf("without a fault %d calls and %d steps of %d", calls, done, len(work))
			}
			if _, done := faulted(t, lib, base, name, "1:enospc", states); done != 0 {
				t.Errorf("on a full disk %d steps are done", done)
			}
			random := rand.New(rand.NewPCG(1, 2)) // always the same
			for _, kind := range []string{"eio", "enospc", "short"} {
				tried := random.Perm(calls)
				if os.Getenv("SWEETSPOT_DISKFAULTS") != "all" {
					tried = tried[:3]
				}
				for _, n := range tried {
					faulted(t, lib, base, name, fmt.Sprintf("%d:%s", n+1, kind), states)
				}
			}
		})
	}
}

// fillPlainly records three runs and makes a pick.
func fillPlainly(t *testing.T, s *Store) {
	t.Helper()
	for range 3 {
		rec, err := s.Start(t.Context(), description())
		must(t, err)
		must(t, rec.Append(t.Context(), Batch{Iterations: series(500), Log: []LogLine{{Text: "hello"}}}))
		must(t, rec.Finish(t.Context(), Finish{Run: profile.Run{Status: profile.Done}}))
	}
	_, err := s.SavePick(t.Context(), Pick{Query: []byte("{}"), Candidate: []byte("{}")})
	must(t, err)
}

// statesOf is the content before the work and after each step.
func statesOf(t *testing.T, base string, work work) (states []map[string][]string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "states")
	must(t, os.CopyFS(dir, os.DirFS(base)))
	s := openAt(t, filepath.Join(dir, "p.db"))
	states = append(states, content(t, s))
	for _, step := range work {
		must(t, step(t.Context(), s))
		states = append(states, content(t, s))
	}
	return states
}

// faulted does the work in a process whose disk fails, checks what is left and
// returns how many calls there were and how many steps were said to be done.
func faulted(t *testing.T, lib, base, name, fault string, states []map[string][]string) (calls, done int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "faulty")
	must(t, os.CopyFS(dir, os.DirFS(base)))
	defer func() { _ = os.RemoveAll(dir) }()
	path, counter := filepath.Join(dir, "p.db"), filepath.Join(t.TempDir(), "calls")
	cmd, out := player(t, name, path)
	cmd.Env = append(cmd.Env, "LD_PRELOAD="+lib, "DISKFAULT="+fault+":"+dir, "DISKFAULT_COUNT="+counter,
		"SQLITE_TMPDIR="+dir)
	must(t, cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "done" {
			done++
		} else {
			oneSentence(t, errors.New(lines.Text()), "failed: ", dir)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", fault, err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Errorf("%s: %v", fault, err)
		return 0, done
	}
	defer s.Close()
	if got := rowsIn(t, s, "PRAGMA integrity_check"); !reflect.DeepEqual(got, []string{`[]interface {}{"ok"}`}) {
		t.Errorf("%s: %v", fault, got)
	}
	if got := rowsIn(t, s, "PRAGMA foreign_key_check"); got != nil {
		t.Errorf("%s: %v", fault, got)
	}
	loadSet(t, s)
	now, at := content(t, s), done
	if done < len(states)-1 && reflect.DeepEqual(now, states[done+1]) {
		at++ // it could not be said any more
	} else if !reflect.DeepEqual(now, states[done]) {
		t.Errorf("%s: after %d steps that were done, the content is another one", fault, done)
		return 0, done
	}
	for _, step := range works[name][at:] {
		if err := step(t.Context(), s); err != nil {
			t.Errorf("%s: going on after %d steps: %v", fault, at, err)
		}
	}
	if !reflect.DeepEqual(content(t, s), states[len(states)-1]) {
		t.Errorf("%s: going on after %d steps ended elsewhere", fault, at)
	}
	text, err := os.ReadFile(counter)
	must(t, err)
	calls, err = strconv.Atoi(strings.TrimSpace(string(text)))
	must(t, err)
	return calls, done
}
