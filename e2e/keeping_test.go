package e2e

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
)

// keptDatabase is a user's own database with two recorded runs.
func keptDatabase(t *testing.T, path string) {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{64, 128} {
		rec, err := s.Start(t.Context(), store.Description{
			Model: profile.Model{Name: "mynet", Unit: "image"}, Mode: profile.Train, BatchSize: batch,
			Machine: store.Machine{Host: "box", GPU: "H100", GPUCount: 1}, Epochs: new(3.0), IterationsPerEpoch: new(100.0),
		})
		if err != nil {
			t.Fatal(err)
		}
		its := make([]store.Iteration, 300)
		for i := range its {
			its[i] = store.Iteration{Index: i, Seconds: 0.01 + float64(i%7)*1e-4, Units: float64(batch), T: float64(i) * 0.011}
		}
		if err := rec.Append(t.Context(), store.Batch{Iterations: its}); err != nil {
			t.Fatal(err)
		}
		if err := rec.Finish(t.Context(), store.Finish{Run: profile.Run{Status: profile.Done}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// kept reads a database with the store: its runs, and the iterations of each.
func kept(t *testing.T, path string) (runs []profile.Run, iterations [][]store.Iteration) {
	t.Helper()
	s, err := store.OpenExisting(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	set, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Runs {
		its, err := s.Iterations(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		iterations = append(iterations, its)
	}
	return set.Runs, iterations
}

// over types text in place of what the prompt holds.
func (s *terminal) over(text string) {
	s.t.Helper()
	s.keys("C-u")
	s.write(text)
	s.keys("Enter")
}

// A run is renamed, noted, deleted and brought back, the database backed up and
// logs imported: it holds what the screen said.
func TestKeepingADatabase(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	db := filepath.Join(user.dir, "mine.db")
	keptDatabase(t, db)
	before, times := kept(t, db)

	s := startAt(t, user, nil, 120, 40, "--no-state", db)
	s.keys("5", "Tab")
	s.waitFor("2 of 2", timeout)
	s.keys("E")
	s.waitFor("model of run 1:", timeout)
	s.over("theirs")
	s.waitFor("variant of run 1", timeout)
	s.over("half")
	s.waitFor("run 1 is now theirs half", timeout)
	s.keys("A")
	s.waitFor("note on run 1:", timeout)
	s.over("fans at full speed")
	s.waitFor("Note: fans at full speed", timeout)
	s.keys("D")
	s.waitFor("deleted run 1 of theirs: u brings it back", timeout)
	s.keys("D")
	s.waitFor("deleted run 2 of mynet", timeout)
	s.waitFor("0 of 0", timeout)
	s.keys("u", "u")
	s.waitFor("2 of 2", timeout)
	s.keys("W")
	s.waitFor("back up to:", timeout)
	s.over(filepath.Join(user.dir, "copy.db"))
	s.waitFor("backed up ", timeout)

	logs := filepath.Join(user.dir, "logs")
	if err := os.Mkdir(logs, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"good.csv": "model,mode,basis,batch_size,steady_iteration_s\n" +
		"logged,train,measured,32,0.25\n", "bad.csv": "model,mode,basis\nlogged,train\n"} {
		if err := os.WriteFile(filepath.Join(logs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.keys("I")
	s.waitFor("all files in this folder", timeout)
	s.write(logs + "/*.csv")
	s.keys("Enter")
	s.waitFor("1 run, 1 new · 1 file not read", timeout)
	s.waitFor("bad.csv, row 2", timeout)
	s.keys("q")
	s.left(0)

	want := []profile.Run{before[0], before[1]}
	want[0].Model, want[0].Variant.Name, want[0].Note = "theirs", "half", "fans at full speed"
	after, timesAfter := kept(t, db)
	if len(after) != 3 || !reflect.DeepEqual(after[:2], want) || !reflect.DeepEqual(timesAfter[:2], times) ||
		after[2].Model != "logged" {
		t.Errorf("the database holds\n%+v, want\n%+v and an imported run", after, want)
	}
	if copied, timesCopied := kept(t, filepath.Join(user.dir, "copy.db")); !reflect.DeepEqual(copied, want) ||
		!reflect.DeepEqual(timesCopied, times) {
		t.Errorf("the copy holds\n%+v, want\n%+v", copied, want)
	}
}

// A deletion outlives a kill, and what was deleted comes back after it.
func TestDeletedRunsOutliveAKill(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	db := filepath.Join(user.dir, "mine.db")
	keptDatabase(t, db)
	before, times := kept(t, db)
	s := startAt(t, user, nil, 80, 24, "--no-state", db)
	s.keys("5", "Tab")
	s.waitFor("2 of 2", timeout)
	s.keys("D")
	s.waitFor("deleted run 1", timeout)
	p, err := os.FindProcess(s.pid())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	s.waitFor("[exit ", timeout)
	if runs, _ := kept(t, db); len(runs) != 1 || runs[0].ID != 2 {
		t.Fatalf("after the kill there are %+v", runs)
	}
	again := startAt(t, user, nil, 50, 15, "--no-state", db)
	again.keys("5", "Tab")
	again.waitFor("1 of 1", timeout)
	again.keys("u")
	again.waitFor("run 1 is restored", timeout)
	again.keys("q")
	again.left(0)
	if runs, timesAfter := kept(t, db); !reflect.DeepEqual(runs, before) || !reflect.DeepEqual(timesAfter, times) {
		t.Errorf("there are\n%+v, want\n%+v", runs, before)
	}
}
