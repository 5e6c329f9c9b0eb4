package tui

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/data/imports"
	"sweetspot/data/intake"
	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/toast"
)

// keepsNothing is a database that takes every change and keeps none.
type keepsNothing struct{}

func (keepsNothing) Rename(_ context.Context, to []store.RunName) ([]store.RunName, error) {
	return to, nil
}
func (keepsNothing) Annotate(context.Context, store.Table, int64, string) (string, error) {
	return "", nil
}
func (keepsNothing) Delete(context.Context, store.Table, ...int64) (int64, error) { return 1, nil }
func (keepsNothing) Undelete(context.Context, int64) (store.Restored, error) {
	return store.Restored{}, nil
}
func (keepsNothing) Merge(context.Context, string) (store.Merged, error) { return store.Merged{}, nil }
func (keepsNothing) Backup(context.Context, string) (int64, error)       { return 0, nil }
func (keepsNothing) Import(context.Context, imports.Found, imports.Options, func(intake.File)) (intake.Result, error) {
	return intake.Result{}, nil
}

// own is a database of three runs under a path that is the same in every frame.
type own struct {
	*workspace.Workspace
	db *store.Store
}

func (own) Label() string { return "profiles.db" }
func (own) Path() string  { return "/data/profiles.db" }

func newOwn(t testing.TB) own {
	t.Helper()
	return ownAt(t, filepath.Join(t.TempDir(), "profiles.db"))
}

// ownAt has its database at a path, or beside the built-in library with "".
func ownAt(t testing.TB, path string) own {
	t.Helper()
	w, err := workspace.OpenFor(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	run := func(model string, seconds float64, batch int) profile.Run {
		return profile.Run{
			Model: model, Unit: "image", Dataset: "Fashion-MNIST", Mode: profile.Train, InstanceType: "box", GPU: "H100",
			GPUCount: 1, BatchSize: batch,
			Epochs: new(3.0), IterationsPerEpoch: new(100.0), Steady: estimate.Around(seconds, seconds/50, estimate.Measured),
			FirstIterationS: new(1.0),
			Status:          profile.Done, Basis: estimate.Measured, Source: "a test", AsOf: "2026-01-02",
		}
	}
	db := w.Store()
	if _, err := db.Import(t.Context(), &profile.Set{Runs: []profile.Run{run("mynet", 0.1, 64), run("mynet", 0.15, 128),
		run("third", 0.2, 64)}}); err != nil {
		t.Fatal(err)
	}
	return own{w, db}
}

// typeOver types text in place of what a prompt holds.
func (d *driver) typeOver(text string) {
	for d.app.shell.Line.Value() != "" {
		d.press("backspace")
	}
	for _, r := range text {
		d.press(string(r))
	}
	d.press("enter")
}

// onRuns opens Library on the user's runs, the first under the cursor.
func onRuns(t testing.TB, w, h int) (*driver, own) {
	t.Helper()
	ws := newOwn(t)
	d := drive(t, w, h, ws)
	d.press("5", "tab")
	return d, ws
}

func (d *driver) says(words ...string) {
	d.t.Helper()
	for _, w := range words {
		if s := d.screen(); !strings.Contains(s, w) {
			d.t.Fatalf("%q is not on\n%s", w, s)
		}
	}
}

func storedRuns(t testing.TB, ws own) []profile.Run {
	t.Helper()
	set, err := ws.db.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set.Runs
}

func TestRenameNoteDeleteAndUndo(t *testing.T) {
	d, ws := onRuns(t, 120, 40)
	before := storedRuns(t, ws)
	d.press("E")
	d.typeOver("theirs")
	d.says("variant of run 1")
	d.typeOver("half")
	d.says("run 1 is now theirs half: u undoes it")
	d.press("A")
	d.typeOver("new driver 580")
	d.says("note saved with run 1", "Note: new driver 580")
	d.press("D", "D")
	d.says("deleted run 2 of mynet: u brings it back")
	if left := storedRuns(t, ws); len(left) != 1 || left[0].ID != 3 {
		t.Fatalf("left are %+v", left)
	}
	d.press("u")
	d.says("run 2 is restored", "▸       2  mynet")
	d.press("u", "u")
	if r := storedRuns(t, ws)[0]; r.Note != "" || r.Model != "theirs" || r.Variant.Name != "half" {
		t.Fatalf("after the note was taken back: %+v", r)
	}
	d.press("u")
	d.says("run 1 is mynet again")
	after := storedRuns(t, ws)
	if len(after) != 3 || after[0].Model != before[0].Model || after[0].Variant.Name != "" || after[0].Note != "" {
		t.Fatalf("all taken back: %+v", after)
	}
	d.press("u")
	d.says("nothing to undo")
	d.exact()
}

// What was deleted in an earlier session comes back too.
func TestUndoAfterARestart(t *testing.T) {
	d, ws := onRuns(t, 120, 40)
	d.press("D")
	again := drive(t, 120, 40, ws)
	again.press("5", "tab", "u")
	again.says("run 1 is restored")
	if len(storedRuns(t, ws)) != 3 {
		t.Error("it is not back")
	}
}

func TestModelsAreRenamedAndDeletedWhole(t *testing.T) {
	ws := newOwn(t)
	d := drive(t, 120, 40, ws)
	d.press("5", "/")
	d.typeOver("mynet")
	d.press("E")
	d.typeOver("ours")
	d.says("2 runs now of ours")
	d.press("/")
	d.typeOver("ours")
	d.press("D")
	d.says("deleted 2 runs of ours in train mode: u brings them back", "0 of")
	if left := storedRuns(t, ws); len(left) != 1 || left[0].Model != "third" {
		t.Errorf("left are %+v", left)
	}
	d.press("u", "u")
	if runs := storedRuns(t, ws); len(runs) != 3 || runs[0].Model != "mynet" || runs[1].Model != "mynet" {
		t.Errorf("taken back: %+v", runs)
	}
}

func TestTheBuiltInLibraryStays(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	d := drive(t, 120, 40, ownAt(t, ""))
	d.press("5", "tab", "/")
	d.typeOver("caffenet")
	for _, key := range []string{"D", "E", "A"} {
		d.press("down", key)
		d.says("belongs to the built-in library, which cannot be changed")
	}
	d.press("tab", "tab", "tab", "D")
	d.says("belongs to the built-in library, which cannot be changed")
}

func TestPicksAreNotedAndDeleted(t *testing.T) {
	ws := newOwn(t)
	d := drive(t, 120, 40, ws)
	d.press("x", "5", "tab", "tab", "tab", "A")
	d.typeOver("for the paper")
	d.says("note saved with pick 1", "Note: for the paper")
	d.press("D")
	d.says("deleted the pick of", "no picks yet")
	d.press("u")
	d.says("the pick is restored", "for the paper")
}

func TestBackupAndMergeOnScreen(t *testing.T) {
	d, ws := onRuns(t, 160, 40)
	d.press("A")
	d.typeOver("kept")
	copied := filepath.Join(t.TempDir(), "copy.db")
	d.press("W")
	d.typeOver(copied)
	d.says("backed up ", " KiB to ")
	d.press("W")
	d.typeOver(copied)
	d.says("exists already: give another name")

	d.press("D", "D", "J")
	for _, r := range copied {
		d.press(string(r))
	}
	d.press("enter")
	d.says("merged copy.db: 0 runs new, 3 here already", "2 runs are deleted here and not brought back")
	bad := filepath.Join(t.TempDir(), "bad.db")
	if err := os.WriteFile(bad, []byte("not a database at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.press("J")
	for _, r := range bad {
		d.press(string(r))
	}
	d.press("enter")
	d.says("is not a profile database but some other file")
	if len(storedRuns(t, ws)) != 1 {
		t.Error("a merge brought back what was deleted")
	}
}

// logs is a folder with files that are good, bad and of no format.
func logs(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"logs/bad.csv": "model,mode,basis\nnet,train\n", "logs/README.md": "# nothing to import",
		"logs/runs.csv": "model,mode,basis,batch_size,steady_iteration_s,note\nimported,train,measured,32,0.25,by hand\n" +
			"imported,train,measured,64,0.5,\n",
		"logs/again.csv": "model,mode,basis,batch_size,steady_iteration_s\nimported,train,measured,64,0.5\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "logs")
}

// importAll chooses what path names; of a folder, all files.
func (d *driver) importAll(path string) {
	d.press("I")
	for _, r := range path {
		d.press(string(r))
	}
	d.press("enter")
	if d.app.shell.Files.Visible() {
		d.press("enter")
	}
}

func TestKeptFrames(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"120x40", 120, 40}, {"80x24", 80, 24}, {"50x15", 50, 15}} {
		t.Run(size.name+"/note", func(t *testing.T) {
			d, _ := onRuns(t, size.w, size.h)
			d.press("A")
			d.typeOver("after the driver was brought to 580, with the fans at their highest speed")
			d.app.shell.Toast = toast.Toast{}
			d.exact()
			golden.RequireEqual(t, []byte(d.screen()))
		})
		t.Run(size.name+"/deleted", func(t *testing.T) {
			d, _ := onRuns(t, size.w, size.h)
			d.press("D")
			d.exact()
			golden.RequireEqual(t, []byte(d.screen()))
		})
		t.Run(size.name+"/imported", func(t *testing.T) {
			d, _ := onRuns(t, size.w, size.h)
			d.importAll(logs(t))
			d.app.shell.Toast = toast.Toast{}
			d.exact()
			golden.RequireEqual(t, []byte(d.screen()))
		})
	}
}

func TestImportOnScreen(t *testing.T) {
	d, ws := onRuns(t, 120, 40)
	dir := logs(t)
	d.importAll(dir)
	d.says("3 runs, 2 new", "1 file not read", "csv: 2 files, 3 runs", "1 file of unknown format skipped: README.md",
		"not read", "imported")
	if runs := storedRuns(t, ws); len(runs) != 5 || runs[4].Note != "by hand" {
		t.Errorf("runs %+v", runs)
	}
	d.importAll(filepath.Join(dir, "r*.csv"))
	d.says("2 runs, 0 new", "known")
	d.importAll(filepath.Join(dir, "none*"))
	d.says("no file matches")
	d.importAll(filepath.Join(dir, "bad.csv"))
	d.says("bad.csv", "row 2: has 2 cells")
	d.exact()
}

// A table as people keep them is in no known format: a form asks what its columns
// hold, filled in with what is likely.
func TestColumnsOfATableAreAskedFor(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 40}, {80, 24}, {50, 15}} {
		d, ws := onRuns(t, size.w, size.h)
		before := len(storedRuns(t, ws))
		path := filepath.Join(t.TempDir(), "bench.csv")
		if err := os.WriteFile(path, []byte("network;card;batch_size;images_per_second;when\n"+
			"resnet50;A100;64;2410.5;monday\nvgg16;A100;32;1200;tues\x1b[31mday\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.importAll(path)
		d.exact()
		d.says("What do the columns hold?", "batch_size", "resnet50", "nothing says whether it was")
		if size.w == 120 {
			golden.RequireEqual(t, []byte(d.screen()))
		}
		d.press("enter")
		d.says("What do the columns hold?") // something is missing
		d.press("G", "left")                // the mode: from none to the last, infer
		d.says("Enter imports the table.")
		d.press("up", "right", "left", "g", "h", "l") // and back
		d.press("1", "5")
		d.says("Enter imports the table.")
		d.press("enter")
		d.says("2 runs, 2 new", "imported")
		runs := storedRuns(t, ws)
		if len(runs) != before+2 || runs[before].Model != "resnet50" || runs[before].BatchSize != 64 ||
			math.Abs(runs[before].Steady.Value/(64/2410.5)-1) > 1e-9 {
			t.Errorf("imported %+v", runs[before:])
		}
		d.importAll(path)
		d.press("esc")
		if strings.Contains(d.screen(), "What do") {
			t.Error("esc does not lead out of the form")
		}
	}
}

// endless is a database into which an import goes on until it is stopped.
type endless struct{ own }

func (endless) Import(ctx context.Context, _ imports.Found, o imports.Options,
	taken func(intake.File)) (intake.Result, error) {
	o.Progress(1, 3)
	f := intake.File{File: "first.csv", Format: new("csv"), Runs: 2, Imported: 2}
	taken(f)
	<-ctx.Done()
	return intake.Result{Files: []intake.File{f}, Runs: 2, Imported: 2},
		errors.New("stopped before all files were read; what was imported is kept")
}

func TestAnImportCanBeStopped(t *testing.T) {
	d := drive(t, 120, 40, endless{newOwn(t)})
	d.press("5")
	until := func(words string) {
		for !strings.Contains(d.screen(), words) {
			d.settle(d.screen())
		}
	}
	d.goes = true
	d.importAll(logs(t))
	until("1 of 3 files · 2 runs, 2 new · esc stops")
	d.press("o")
	d.says("first.csv", "an import is running here: esc on its list stops it")
	d.press("esc")
	until("stopped before")
	d.goes = false
	d.says("first.csv", "2 runs, 2 new")
	d.press("esc", "o")
	d.says("Open a profile database")
	d.library().Close(t.Context(), false) // has nothing to wait for
}

// Changes that wait are not left behind with the database.
func TestNoOtherDatabaseWhileThisOneIsChanged(t *testing.T) {
	d, ws := onRuns(t, 120, 40)
	_, first := d.app.Update(press("D"))
	d.press("D", "o")
	d.says("the database is being changed")
	d.run(first)
	if n := len(storedRuns(t, ws)); n != 1 {
		t.Errorf("%d runs are left of 3", n)
	}
	d.press("o")
	d.says("Open a profile database")
}
