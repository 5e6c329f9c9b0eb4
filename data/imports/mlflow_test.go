package imports

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// mlflowDB is the database that MLflow wrote, on the disk as it is, changed by statements.
func mlflowDB(t *testing.T, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my ml?flow%20.db")
	if err := os.WriteFile(path, content(t, fixture(t, "mlflow-db")[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+strings.NewReplacer("%", "%25", "?", "%3f").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	return path
}

// The database is read alike where it lies, compressed and in memory, also one with a
// write-ahead log, and is not changed.
func TestMLflowDatabase(t *testing.T) {
	for _, statements := range []string{"", "PRAGMA journal_mode = WAL"} {
		path := mlflowDB(t, statements)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []source.File{File(path), inMemory("/a/mlflow.db", before), fixture(t, "mlflow-db")[0]} {
			r := readAll(t, []source.File{f}, Options{})[0]
			if r.Err != nil || r.Format != "mlflow-db" || len(r.Set.Runs) != 2 {
				t.Fatalf("%s: %s, %v", f.Path, r.Format, r.Err)
			}
			first, second := r.Set.Runs[0], r.Set.Runs[1]
			if first.Status != profile.Done || first.Accuracy.Value != 0.7 || *first.AveragePowerW != 71.5 ||
				second.Status != profile.Failed || second.BatchSize != 128 || !(second.Steady.Value >= 0.1) ||
				second.AveragePowerW != nil {
				t.Errorf("%+v", r.Set.Runs)
			}
			if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "1 run deleted") ||
				!strings.Contains(notes, "1 run without metrics") || !strings.Contains(notes, "1 of 2 runs: ") {
				t.Errorf("%q", r.Notes)
			}
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("the file was changed: %v", err)
		}
	}
}

// What another process has not folded into the file yet is read too.
func TestMLflowDatabaseInUse(t *testing.T) {
	path := mlflowDB(t, "PRAGMA journal_mode = WAL")
	db, err := sql.Open("sqlite3", "file:"+strings.NewReplacer("%", "%25", "?", "%3f").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE params SET value = '48' WHERE key = 'batch_size' AND value = '64'"); err != nil {
		t.Fatal(err)
	}
	r := readAll(t, []source.File{File(path)}, Options{})[0]
	if r.Err != nil || r.Set.Runs[0].BatchSize != 48 {
		t.Errorf("%v: %+v", r.Err, r.Set)
	}
}

// What MLflow has not written is refused in one sentence before any of it is read.
func TestCraftedMLflowDatabases(t *testing.T) {
	endless := "ALTER TABLE metrics RENAME TO hidden; CREATE VIEW Metrics AS WITH RECURSIVE c(x) AS " +
		"(SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT hidden.* FROM c, hidden"
	for statements, says := range map[string]string{
		endless: "metrics is no ordinary table",
		"DROP TABLE params; CREATE VIRTUAL TABLE params USING fts3(run_uuid, key, value)": "params is no ordinary table",
		"ALTER TABLE tags RENAME TO old; CREATE TABLE tags (run_uuid, key, value AS (printf('%.*c', 9000000, 'x')))": "tags.value " +
			"is computed",
		"ALTER TABLE metrics RENAME COLUMN is_nan TO old": "no column is_nan",
		"UPDATE runs SET lifecycle_stage = 'deleted'":     "none of its runs",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		path := mlflowDB(t, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; "+
			"PRAGMA legacy_alter_table = ON; "+statements)
		err := Read(ctx, []source.File{File(path)}, Options{}, func(r source.Report) error {
			sound(t, r)
			if r.Err == nil || !strings.Contains(r.Err.Error(), says) {
				t.Errorf("%s: %v", statements, r.Err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Values of kinds that MLflow does not write there are left out or cleaned.
func TestMLflowDatabaseOfOddValues(t *testing.T) {
	path := mlflowDB(t, `PRAGMA ignore_check_constraints = ON;
		UPDATE metrics SET value = 'x' || char(27) WHERE rowid % 5 = 0;
		UPDATE OR IGNORE metrics SET timestamp = -1 WHERE rowid % 7 = 0;
		UPDATE OR IGNORE metrics SET step = 1e300 WHERE rowid % 11 = 0;
		UPDATE runs SET name = x'1b5b33316dff', start_time = 'soon', experiment_id = 77;
		DELETE FROM tags; UPDATE params SET value = x'00ff' WHERE key = 'model'`)
	if r := readAll(t, []source.File{File(path)}, Options{})[0]; r.Err != nil || len(r.Set.Runs) != 2 {
		t.Errorf("%v", r.Err)
	}
}

// Every cut of the file ends in a sentence, and so does a database of another program.
func TestDatabasesThatAreNotMLflows(t *testing.T) {
	whole := content(t, fixture(t, "mlflow-db")[0])
	for _, n := range []int{16, 50, 100, 4096, 5000, len(whole) / 2, len(whole) - 4096} {
		if r := readAll(t, []source.File{inMemory("/a/mlflow.db", whole[:n])}, Options{})[0]; r.Err == nil {
			t.Errorf("%d bytes are imported", n)
		}
	}
	r := readAll(t, []source.File{File(mlflowDB(t, "DROP TABLE experiments"))}, Options{})[0]
	var unknown *Unrecognised
	if !errors.As(r.Err, &unknown) || !strings.Contains(r.Err.Error(), "not one of MLflow") {
		t.Errorf("%v", r.Err)
	}
}

// A long read ends with its context.
func TestMLflowDatabaseIsInterrupted(t *testing.T) {
	path := mlflowDB(t, `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000)
		INSERT INTO metrics SELECT 'train/loss', 1, 1.8e12 + x, (SELECT run_uuid FROM runs LIMIT 1), x, 0 FROM c`)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	err := Read(ctx, []source.File{File(path)}, Options{}, func(r source.Report) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
