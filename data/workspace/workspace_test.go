package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// home gives the test a data directory of its own and returns the default
// database's place in it.
func home(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	path, err := store.Named("")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// saved puts one run into the database at path.
func saved(ctx context.Context, t *testing.T, path, model string) {
	t.Helper()
	s, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	run := profile.Run{
		Model: model, Mode: profile.Train, InstanceType: "desk", BatchSize: 32, Count: 1, IterationsPerEpoch: new(10.0),
		Steady: estimate.Spread(0.5, 0.1, estimate.Measured), Basis: estimate.Measured, Status: profile.Done,
	}
	if _, err := s.Import(ctx, &profile.Set{Models: []profile.Model{{Name: model}},
		Runs: []profile.Run{run}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func loaded(ctx context.Context, t *testing.T, w *Workspace) *profile.Set {
	t.Helper()
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	set, err := w.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func has(set *profile.Set, model string) bool {
	return slices.ContainsFunc(set.Runs, func(r profile.Run) bool { return r.Model == model })
}

func TestTheLibraryAlone(t *testing.T) {
	ctx, path := t.Context(), home(t)
	w, err := Open(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	set := loaded(ctx, t, w)
	if !has(set, "CaffeNet") || len(set.VMTypes) == 0 || len(set.Kinds) == 0 {
		t.Errorf("%d runs, %d VM types, %d kinds", len(set.Runs), len(set.VMTypes), len(set.Kinds))
	}
	if w.Label() != "built-in library" || w.Store() != nil || w.Path() != path {
		t.Errorf("label %q, store %v, path %q", w.Label(), w.Store(), w.Path())
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("reading left a file behind: %v", err)
	}
}

func TestTheDefaultDatabaseStandsBesideTheLibrary(t *testing.T) {
	ctx, path := t.Context(), home(t)
	saved(ctx, t, path, "own-net")
	w, err := Open(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	set := loaded(ctx, t, w)
	if !has(set, "CaffeNet") || !has(set, "own-net") {
		t.Error("one of the two is missing")
	}
	seen := map[int64]bool{}
	for _, r := range set.Runs {
		if seen[r.ID] {
			t.Errorf("two runs have the number %d", r.ID)
		}
		seen[r.ID] = true
		if (r.ID > 0) != (r.Model == "own-net") {
			t.Errorf("run %d of %s: the database counts up from 1, the library down from -1", r.ID, r.Model)
		}
	}
	if want := "built-in library + profiles.db"; w.Label() != want {
		t.Errorf("label %q, want %q", w.Label(), want)
	}
}

func TestANamedDatabaseStandsAlone(t *testing.T) {
	ctx := t.Context()
	saved(ctx, t, home(t), "default-net")
	path := filepath.Join(t.TempDir(), "mine.db")
	saved(ctx, t, path, "own-net")
	w, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	set := loaded(ctx, t, w)
	if len(set.Runs) != 1 || set.Runs[0].Model != "own-net" || len(set.Models) != 1 {
		t.Errorf("%d runs and %d models of other places got in", len(set.Runs), len(set.Models))
	}
	if len(set.VMTypes) == 0 || len(set.Kinds) == 0 {
		t.Error("prices and spreads are nobody's own and must be there")
	}
	if w.Label() != "mine.db" || w.Path() != path {
		t.Errorf("label %q, path %q", w.Label(), w.Path())
	}
}

// What the library brings must never reach the user's file.
func TestLoadingWritesNothing(t *testing.T) {
	ctx, path := t.Context(), home(t)
	saved(ctx, t, path, "own-net")
	for range 2 {
		w, err := Open(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Load(ctx); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.OpenExisting(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	set, err := s.Load(ctx)
	if err != nil || len(set.Runs) != 1 || len(set.VMTypes) != 0 {
		t.Errorf("%d runs, %d VM types, %v", len(set.Runs), len(set.VMTypes), err)
	}
}

func TestOpeningWhatIsNotThere(t *testing.T) {
	ctx := t.Context()
	home(t)
	path := filepath.Join(t.TempDir(), "new", "mine.db")
	if _, err := Open(ctx, path); err == nil || !strings.Contains(err.Error(), "mine.db") {
		t.Errorf("reading a database that does not exist: %v", err)
	}
	w, err := OpenFor(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if set := loaded(ctx, t, w); len(set.Runs) != 0 {
		t.Errorf("a new database holds %d runs", len(set.Runs))
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("a subcommand that writes makes the database: %v", err)
	}
}

func TestWritableMakesTheDefaultDatabase(t *testing.T) {
	ctx, path := t.Context(), home(t)
	w, err := Open(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Writable(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.Writable(ctx); err != nil || again != s || w.Store() != s {
		t.Errorf("asked twice: %p, then %p, %v", s, again, err)
	}
	if s.Path() != path || w.Label() != "built-in library + profiles.db" {
		t.Errorf("saves to %q as %q", s.Path(), w.Label())
	}
	if set := loaded(ctx, t, w); !has(set, "CaffeNet") {
		t.Error("the library is gone")
	}
}

func TestAForeignFileIsNamed(t *testing.T) {
	ctx, path := t.Context(), home(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("a shopping list"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (*Workspace, error){
		"the default": func() (*Workspace, error) { return Open(ctx, "") },
		"by name":     func() (*Workspace, error) { return Open(ctx, path) },
		"to write":    func() (*Workspace, error) { return OpenFor(ctx, "") },
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), "not a profile database") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "a shopping list" {
		t.Errorf("the file was touched: %q, %v", text, err)
	}
}

// The user's catalogs lie over the built-in one, whichever database is open.
func TestTheUsersCatalogsJoin(t *testing.T) {
	ctx := t.Context()
	home(t)
	files, err := CatalogFiles()
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Keep([]profile.VMType{
		{Cloud: "aws", Region: "us-east-1", InstanceType: "p9.new", GPU: "L4", GPUCount: 1,
			Prices: []profile.Price{{Purchase: profile.Spot, USDPerHour: 1, AsOf: "2026"}}},
	}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.db")
	saved(ctx, t, path, "own-net")
	for _, db := range []string{"", path} {
		w, err := Open(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"p9.new", "p2.xlarge"} {
			if !slices.ContainsFunc(loaded(ctx, t, w).VMTypes, func(v profile.VMType) bool { return v.InstanceType == want }) {
				t.Errorf("database %q: no %s", db, want)
			}
		}
	}
	if err := os.WriteFile(files.Own, []byte("a shopping list\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, ""); err == nil || !strings.Contains(err.Error(), "catalog-own.csv, row 1") {
		t.Errorf("a file that is no catalog: %v", err)
	}
}
