package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mattn/go-sqlite3"

	"sweetspot/engine/profile"
)

// oneSentence holds an error against what every error of this package must be.
func oneSentence(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	text := err.Error()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
	if strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("%q is not one plain line", text)
	}
}

func TestStrangePaths(t *testing.T) {
	for _, name := range []string{
		"with blanks.db", "what?.db", "mode=memory?mode=memory.db", "a#b.db", "100%.db", "%41.db", "a&b=c;d.db", "it's.db",
		`quo"te.db`, "größe.db", "a+b.db",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sub dir?#%", name)
			s := openAt(t, path)
			_, err := s.Start(t.Context(), description())
			must(t, err)
			must(t, s.Close())
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Fatalf("the file is not where it was asked for: %v", err)
			}
			again, err := OpenExisting(t.Context(), path)
			must(t, err)
			defer again.Close()
			if got := len(loadSet(t, again).Runs); got != 1 || again.Path() != path {
				t.Errorf("%d runs at %s", got, again.Path())
			}
		})
	}
}

// refused is a file that is no profile database, and words of the sentence that
// says so.
type refused struct {
	path  string
	words []string
}

func notOurs(t *testing.T, dir string) map[string]refused {
	t.Helper()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	foreign := func(name, statements string) string {
		path := filepath.Join(dir, name)
		db, err := sql.Open("sqlite3", path)
		must(t, err)
		_, err = db.Exec(statements)
		must(t, err)
		must(t, db.Close())
		return path
	}
	return map[string]refused{
		"missing":         {filepath.Join(dir, "none.db"), []string{"no profile database at", "none.db", "sweetspot probe"}},
		"directory":       {dir, []string{"is a directory"}},
		"text":            {file("text.db", "model,mode\n"), []string{"not a profile database"}},
		"short text":      {file("short.db", "x"), []string{"not a profile database"}},
		"escape in name":  {file("a\x1b[31mb.db", "x"), []string{"ab.db", "not a profile database"}},
		"device":          {os.DevNull, []string{"not a regular file"}},
		"below a file":    {filepath.Join(file("file", "x"), "p.db"), []string{"can't be opened", "not a directory"}},
		"unmarked SQLite": {foreign("plain.db", "CREATE TABLE t (a)"), []string{"another program"}},
		"marked SQLite": {foreign("marked.db", "PRAGMA application_id = 252006675; CREATE TABLE t (a)"),
			[]string{"another program"}},
		"newer layout": {foreign("newer.db", "PRAGMA application_id = 1937208176; PRAGMA user_version = 99; CREATE "+
			"TABLE t (a)"), []string{"newer sweetspot", "99", "update"}},
		"magic, no pages": {file("magic.db", "SQLite format 3\x00 and then nothing of the kind"),
			[]string{"not a profile database"}},
	}
}

func TestNotOurs(t *testing.T) {
	dir := t.TempDir()
	for name, c := range notOurs(t, dir) {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			s, err := OpenExisting(t.Context(), c.path)
			oneSentence(t, err, c.words...)
			if s != nil {
				t.Error("a store came with the error")
			}
			if name != "missing" {
				_, err = Open(t.Context(), c.path)
				oneSentence(t, err, c.words...)
			}
			after, _ := os.ReadFile(c.path)
			if !bytes.Equal(before, after) {
				t.Error("a file that is not ours was changed")
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*-wal")); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	s := openAt(t, path)
	rec, err := s.Start(t.Context(), description())
	must(t, err)
	must(t, rec.Append(t.Context(), Batch{Iterations: series(5000)}))
	must(t, s.Close())
	sound, err := os.ReadFile(path)
	must(t, err)
	read := func(damaged []byte) error {
		must(t, os.WriteFile(path, damaged, 0o644))
		s, err := Open(t.Context(), path)
		if err != nil {
			return err
		}
		defer s.Close()
		_, err = s.Load(context.Background())
		_, err2 := s.Iterations(context.Background(), 1)
		return errors.Join(err, err2)
	}
	if err := read(sound); err != nil {
		t.Fatal(err)
	}
	garbled := bytes.Clone(sound)
	for i := 4096; i < len(garbled); i++ {
		garbled[i] = 0xa5
	}
	for name, damaged := range map[string][]byte{"garbled": garbled, "cut off": sound[:3*4096],
		"schema garbled": overwrite(sound, 100, 3000)} {
		t.Run(name, func(t *testing.T) {
			err := read(damaged)
			if err == nil {
				t.Fatal("no error")
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			oneSentence(t, errors.New(first), "damaged", ".recover")
		})
	}
}

func overwrite(b []byte, from, to int) []byte {
	b = bytes.Clone(b)
	for i := from; i < to; i++ {
		b[i] = 0xff
	}
	return b
}

// A full disk loses the batch it hits and nothing else, and the batch can be
// saved once there is room.
func TestDiskFull(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	must(t, rec.Append(ctx, Batch{Iterations: series(100)}))
	var pages int
	must(t, s.write.QueryRow("PRAGMA page_count").Scan(&pages))
	_, err = s.write.Exec("PRAGMA max_page_count = " + strconv.Itoa(pages+3))
	must(t, err)

	more := Batch{Iterations: series(5000), Log: []LogLine{{Text: "x"}}}
	err = rec.Append(ctx, more)
	oneSentence(t, err, "disk is full", "free some space", "profiles.db")
	var cause sqlite3.Error
	if !errors.As(err, &cause) || cause.Code != sqlite3.ErrFull {
		t.Errorf("the cause is lost: %v", err)
	}
	its, err := s.Iterations(ctx, rec.ID())
	must(t, err)
	var kept int
	must(t, s.read.QueryRow("SELECT iterations FROM runs").Scan(&kept))
	if len(its) != 100 || kept != 100 {
		t.Errorf("%d rows, %d in the sums; the first 100 and nothing half-written must be there", len(its), kept)
	}

	_, err = s.write.Exec("PRAGMA max_page_count = 1000000")
	must(t, err)
	must(t, rec.Append(ctx, more))
	its, err = s.Iterations(ctx, rec.ID())
	must(t, err)
	if len(its) != 5100 || its[100] != more.Iterations[0] {
		t.Errorf("%d rows after there was room again", len(its))
	}
}

// Where a full disk ends the transaction in the middle of a batch, what follows in it
// is not kept by itself.
func TestDiskFullWithinABatch(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	var pages int
	must(t, s.write.QueryRow("PRAGMA page_count").Scan(&pages))
	_, err = s.write.Exec("PRAGMA cache_size = 5; PRAGMA max_page_count = " + strconv.Itoa(pages+3))
	must(t, err)
	before := content(t, s)
	batch := Batch{Layers: []Layer{{Name: "conv1", Share: 1}}, Log: []LogLine{{Text: "x"}}}
	for range 2000 {
		batch.Validations = append(batch.Validations, profile.Validation{Metric: strings.Repeat("m", 100)})
	}
	oneSentence(t, rec.Append(ctx, batch), "disk is full")
	if after := content(t, s); !reflect.DeepEqual(after, before) {
		t.Errorf("of a refused batch there are %d layers and %d lines", len(after["layers"]), len(after["log_lines"]))
	}
}

func TestLocked(t *testing.T) {
	s := openTemp(t)
	_, err := s.write.Exec("PRAGMA busy_timeout = 50") // ten seconds are too long for a test
	must(t, err)
	other, err := sql.Open("sqlite3", s.Path()+"?_txlock=exclusive")
	must(t, err)
	defer other.Close()
	tx, err := other.Begin()
	must(t, err)
	_, err = s.Start(t.Context(), description())
	oneSentence(t, err, "locked", "close that program")
	must(t, tx.Rollback())
	if _, err := s.Start(t.Context(), description()); err != nil {
		t.Error(err)
	}
}

// A migration that fails leaves the layout it found.
func TestMigrationIsWhole(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	_, err := s.Start(ctx, description())
	must(t, err)
	if err := s.migrate(ctx, append(steps, "CREATE TABLE extra (a); CREATE TABLE extra (a)")); err == nil {
		t.Fatal("no error")
	}
	version, err := s.layout(ctx, s.read, len(steps))
	must(t, err)
	var extra int
	must(t, s.read.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'").Scan(&extra))
	if version != len(steps) || extra != 0 {
		t.Errorf("version %d, %d tables of a failed step", version, extra)
	}
	must(t, s.migrate(ctx, append(steps, "CREATE TABLE extra (a)")))
	if got := len(loadSet(t, s).Runs); got != 1 {
		t.Errorf("%d runs after a migration", got)
	}
	must(t, s.Close())
	_, err = Open(ctx, s.Path())
	oneSentence(t, err, "newer sweetspot")
}

// Several processes may make the same database at once; here connections of
// their own stand for them.
func TestMadeByManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "p.db")
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			s, err := Open(context.Background(), path)
			if err == nil {
				_, err = s.Start(context.Background(), description())
				err = errors.Join(err, s.Close())
			}
			errs[i] = err
		})
	}
	wg.Wait()
	must(t, errors.Join(errs...))
	if got := len(loadSet(t, openAt(t, path)).Runs); got != len(errs) {
		t.Errorf("%d runs of %d", got, len(errs))
	}
}

func TestCancelledBeforeItBegins(t *testing.T) {
	s := openTemp(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Start(ctx, description()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := len(loadSet(t, s).Runs); got != 0 {
		t.Errorf("%d runs", got)
	}
}

// A database on a read-only disk is opened without the files beside it.
func TestNoRoom(t *testing.T) {
	for err, want := range map[error]bool{
		sqlite3.Error{Code: sqlite3.ErrCantOpen}: true,
		sqlite3.Error{Code: sqlite3.ErrReadonly}: true,
		sqlite3.Error{Code: sqlite3.ErrBusy}:     false,
		os.ErrNotExist:                           false,
	} {
		if noRoom(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}
