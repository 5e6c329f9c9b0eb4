package imports

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/data/profilecsv"
	"sweetspot/data/store"
	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func database(t *testing.T) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// into imports files into a database and returns how many runs they hold and
// how many were new.
func into(ctx context.Context, t *testing.T, db *store.Store, files []source.File) (runs, imported int) {
	t.Helper()
	err := Read(ctx, files, Options{}, func(r source.Report) error {
		if r.Err != nil {
			t.Errorf("%v", r.Err)
			return nil
		}
		n, err := db.Import(ctx, r.Set)
		runs, imported = runs+len(r.Set.Runs), imported+n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return runs, imported
}

// What is imported again, from wherever it is named, is known by its content.
func TestImportingAgainAddsNothing(t *testing.T) {
	db := database(t)
	root, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats {
		if f.Name == "tensorboard" {
			if runs, imported := into(t.Context(), t, db, boards()); runs != imported || runs == 0 {
				t.Errorf("%s: %d of %d runs are new", f.Name, imported, runs)
			}
			if _, again := into(t.Context(), t, db, boards()); again != 0 {
				t.Errorf("%s: %d runs are new again", f.Name, again)
			}
			continue
		}
		for i, dir := range []string{filepath.Join("testdata", f.Name), filepath.Join(root, f.Name),
			filepath.Join("..", "imports", "testdata", f.Name)} {
			found, err := Files([]string{dir})
			if err != nil {
				t.Fatal(err)
			}
			runs, imported := into(t.Context(), t, db, found.Files)
			if i == 0 && (runs == 0 || imported != runs) || i > 0 && imported != 0 {
				t.Errorf("%s, time %d: %d of %d runs are new", f.Name, i+1, imported, runs)
			}
		}
	}
	set, err := db.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Runs {
		soundRun(t, r)
	}
}

// What was imported can be written as Profile CSV and read again, metrics in a
// unit of their own included.
func TestImportsReadBackAsProfileCSV(t *testing.T) {
	files := []source.File{inMemory("/a/gnmt.csv",
		[]byte(
			"version,submitter,system,acc_per_node,accelerator,benchmark,run,init_s,total_s,epochs,epoch_start_rel_s,evals\n"+
				"v0.5,maker,box,8,V100,gnmt,0,5,700,2,1;350,349:21.8;699:24.5\n"))}
	for _, f := range Formats {
		files = append(files, fixture(t, f.Name)...)
	}
	for _, r := range readAll(t, files, Options{}) {
		if r.Err != nil || len(r.Set.Runs) == 0 {
			continue
		}
		var text bytes.Buffer
		if err := profilecsv.Write(&text, r.Set); err != nil {
			t.Errorf("%s: %v", r.File, err)
			continue
		}
		again, err := profilecsv.Read(&text)
		if err != nil {
			t.Errorf("%s: %v", r.File, err)
			continue
		}
		for i, run := range r.Set.Runs {
			a, b := run.Accuracy, again.Runs[i].Accuracy
			if (a == nil) != (b == nil) ||
				(a != nil && (a.Metric != b.Metric || a.Value != b.Value || a.HigherIsBetter != b.HigherIsBetter)) {
				t.Errorf("%s: accuracy %+v was %+v", r.File, b, a)
			}
		}
	}
}

// shared is a set of real measurements, or the test is skipped.
func shared(t *testing.T, name string) []source.File {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the set %s is not at %s", name, dir)
	}
	found, err := Files([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return found.Files
}

func TestSharedSets(t *testing.T) {
	for name, want := range map[string]int{"timm": 3609, "zeus": 592, "profet": 6192, "mlperf": 1253} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			for _, r := range readAll(t, shared(t, name), Options{}) {
				if r.Err != nil {
					t.Error(r.Err)
					continue
				}
				runs += len(r.Set.Runs)
			}
			if runs != want {
				t.Errorf("%d runs of %d", runs, want)
			}
		})
	}
}

// On the two GPUs that timm's set was measured on, its networks have a frontier
// of accuracy against time. It is held to a slow definition.
func TestFrontierOfTimm(t *testing.T) {
	db := database(t)
	files := shared(t, "timm")
	joined := 0
	err := Read(t.Context(), files, Options{}, func(r source.Report) error {
		for _, n := range r.Notes {
			if strings.HasPrefix(n, "1091 of 1443") || strings.HasPrefix(n, "1093 of 1444") {
				joined++
			}
		}
		_, err := db.Import(t.Context(), r.Set)
		return err
	})
	if err != nil || joined != 2 {
		t.Fatalf("%d benchmarks joined: %v", joined, err)
	}
	set, err := db.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	of, err := question.Resolve(set, "", "")
	if err != nil {
		t.Fatal(err)
	}
	const units = 1e6
	q := question.Query{Workload: question.Workload{Model: of.Model, Mode: of.Mode, Units: units,
		Purchase: profile.OnDemand, MaxCount: 1}, Sort: question.ByTime}
	result := rank.Answer(set, q, nil)
	gpus, known := map[string]bool{}, 0
	var all []*candidate.Candidate
	for i := range result.Space.Len() {
		c := result.Space.At(i)
		gpus[c.Configuration[0].VM.GPU] = true
		all = append(all, c)
		if c.Quality != nil {
			known++
		}
	}
	if !gpus["RTX 3090"] || !gpus["RTX 4090"] || len(gpus) != 2 || known < 2900 {
		t.Errorf("%d candidates with an accuracy on %v", known, gpus)
	}
	if n := len(result.Frontier(objective.Time, objective.Accuracy)); n < 20 || n > 200 {
		t.Errorf("a frontier of %d", n)
	}
	// Nothing beats what is on the frontier, and something on it is at least as
	// good as whatever is not.
	for i, c := range all {
		on := slices.Contains(result.Frontier(objective.Time, objective.Accuracy), i)
		against := all
		if !on {
			against = nil
			for _, j := range result.Frontier(objective.Time, objective.Accuracy) {
				against = append(against, all[j])
			}
		}
		if better := slices.ContainsFunc(against, func(o *candidate.Candidate) bool {
			return asGood(o, c) &&
				(!on || !asGood(c, o))
		}); c.Quality != nil && better == on {
			t.Errorf("%s on the frontier: %v, beaten: %v", c.ID, on, better)
		}
	}
}

// asGood reports whether a is no slower and no less accurate than b.
func asGood(a, b *candidate.Candidate) bool {
	return a.Quality != nil && b.Quality != nil && a.Time.Value <= b.Time.Value &&
		a.Quality.Estimate.Value >= b.Quality.Estimate.Value
}
