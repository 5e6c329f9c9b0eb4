package store

import (
	"cmp"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/engine/profile"
)

// crafted is a database with a run, a VM type and a pick, changed by statements.
func crafted(t *testing.T, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "crafted.db")
	s := openAt(t, path)
	rec, err := s.Start(t.Context(), description())
	must(t, err)
	must(t, rec.Append(t.Context(), Batch{Iterations: series(20), Pauses: []profile.Pause{{AtS: 1, Seconds: 1}},
		Memory:      []Memory{{PeakBytes: 1e9}},
		Validations: []profile.Validation{{Seconds: 1}}}))
	must(t, rec.Finish(t.Context(), Finish{Run: profile.Run{Status: profile.Done}}))
	_, err = s.Import(t.Context(), &profile.Set{VMTypes: []profile.VMType{{InstanceType: "vm",
		Prices: []profile.Price{{Purchase: profile.Spot, USDPerHour: 1}}}}})
	must(t, err)
	_, err = s.SavePick(t.Context(), Pick{Query: []byte("{}"), Candidate: []byte("{}")})
	must(t, err)
	must(t, s.Close())
	db, err := sql.Open("sqlite3", path)
	must(t, err)
	_, err = db.Exec(statements)
	must(t, err)
	must(t, db.Close())
	return path
}

// readAll reads what a database of others holds, by opening it and by merging it.
func readAll(t *testing.T, path string) (opened, merged error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only what never ends takes as long
	defer cancel()
	s, opened := OpenExisting(ctx, path)
	if opened == nil {
		defer s.Close()
		_, err := s.Load(ctx)
		_, err2 := s.Iterations(ctx, 1)
		_, err3 := s.Picks(ctx)
		_, err4 := s.Record(ctx, 1)
		_, err5 := s.Deleted(ctx)
		opened = cmp.Or(err, err2, err3, err4, err5)
	}
	_, merged = openTemp(t).Merge(ctx, path)
	return opened, merged
}

// endless is a view in place of a table, which yields its rows for ever.
func endless(table string) string {
	return "PRAGMA legacy_alter_table = on; ALTER TABLE " + table + " RENAME TO hidden; CREATE VIEW " +
		strings.ToUpper(table) + " AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT hidden.* FROM c, hidden"
}

// What no sweetspot has written is refused in one sentence, before anything of it
// is read, changed or run.
func TestCraftedDatabasesAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ statements, says string }{
		"negative layout": {"PRAGMA user_version = -3", "its layout is -3"},
		"layout 0":        {"PRAGMA user_version = 0", "its layout is 0"},
		"endless prices":  {endless("prices"), "PRICES is no ordinary table"},
		"endless runs":    {endless("runs"), "RUNS is no ordinary table"},
		"virtual table":   {"DROP TABLE layers; CREATE VIRTUAL TABLE layers USING fts3(a)", "layers is no ordinary table"},
		"trigger": {"CREATE TRIGGER \"t\x1b[31m\" AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
			"there is a trigger, t;"},
		"computed column": {"DROP TABLE layers; CREATE TABLE layers (run_id INTEGER, seq INTEGER, name TEXT, " +
			"kind TEXT AS (printf('%.*c', 900000000, 'x')), share REAL)", "layers.kind is computed"},
	} {
		t.Run(name, func(t *testing.T) {
			path := crafted(t, c.statements)
			before, err := os.ReadFile(path)
			must(t, err)
			opened, merged := readAll(t, path)
			oneSentence(t, opened, "crafted.db was changed by another program", c.says, "restore a copy")
			oneSentence(t, merged, "crafted.db was changed by another program", c.says, "restore a copy")
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

// unchecked changes rows as if columns had no types, and puts the types back.
func unchecked(table, statements string) string {
	schema := func(from, to string) string {
		return "; UPDATE sqlite_schema SET sql = replace(sql, '" + from + "', '" + to + "') WHERE name = '" + table + "'"
	}
	apart := [][2]string{{") STRICT", ")/*S*/"}, {" INTEGER NOT NULL", "/*I*/"}, {" REAL NOT NULL", "/*R*/"},
		{" REAL,", "/*N*/,"}}
	out := "PRAGMA writable_schema = on"
	for _, words := range apart {
		out += schema(words[0], words[1])
	}
	out += "; PRAGMA writable_schema = reset; " + statements + "; PRAGMA writable_schema = on"
	for _, words := range apart {
		out += schema(words[1], words[0])
	}
	return out
}

// A value of the wrong type is named by its column; a merge takes nothing from
// such a file.
func TestValuesOfTheWrongType(t *testing.T) {
	for column, statement := range map[string]string{
		"batch_size": unchecked("runs", "UPDATE runs SET batch_size = 'many'"),
		"count":      unchecked("runs", "UPDATE runs SET count = NULL"),
		"gpu_count":  unchecked("machines", "UPDATE machines SET gpu_count = x'00ff'"),
		"seconds":    unchecked("pauses", "UPDATE pauses SET seconds = 'long'"),
		"steady_s":   unchecked("runs", "UPDATE runs SET steady_s = 'quick'"),
	} {
		t.Run(column, func(t *testing.T) {
			opened, merged := readAll(t, crafted(t, statement))
			oneSentence(t, opened, "crafted.db holds a value in column "+column, "another program changed it")
			oneSentence(t, merged, "crafted.db", "is damaged")
		})
	}
}

// What a row refers to may be gone. Without its model a run is not seen; a merge
// says that something is missing.
func TestRowsThatReferToNothing(t *testing.T) {
	for says, statement := range map[string]string{
		"row 1 of variants belongs to nothing in models": "PRAGMA foreign_keys = off; DELETE FROM models",
		"row 1 of runs belongs to nothing in variants":   "PRAGMA foreign_keys = off; DELETE FROM variants",
		"row 1 of runs belongs to nothing in machines":   "PRAGMA foreign_keys = off; DELETE FROM machines",
	} {
		opened, merged := readAll(t, crafted(t, statement))
		if opened != nil && !strings.Contains(opened.Error(), "there is no run 1") {
			t.Errorf("%s: %v", statement, opened)
		}
		oneSentence(t, merged, "crafted.db was changed by another program", says)
	}
	path := crafted(t, "PRAGMA foreign_keys = off; DELETE FROM vm_types")
	if opened, merged := readAll(t, path); opened != nil || merged != nil {
		t.Errorf("a price without a VM type: %v, %v", opened, merged)
	}
}

// Numbers that this program would not write do no harm: what is infinite is
// unknown, and no memory is taken on the word of a column.
func TestOddNumbers(t *testing.T) {
	for _, n := range []string{"-1", "1000000000000000", "9223372036854775807"} {
		path := crafted(t, "UPDATE runs SET iterations = "+n)
		s := openAt(t, path)
		if its, err := s.Iterations(t.Context(), 1); err != nil || len(its) != 20 {
			t.Errorf("%s iterations: %d, %v", n, len(its), err)
		}
		if opened, merged := readAll(t, path); opened != nil || merged != nil {
			t.Errorf("%s iterations: %v, %v", n, opened, merged)
		}
	}
	s := openAt(t, crafted(t, "UPDATE runs SET steady_s = 9e999, steady_low_s = 1, steady_high_s = 2, init_s = -9e999, "+
		"accuracy = 9e999; UPDATE models SET params = 9e999; UPDATE machines SET gpu_mem_gib = 9e999"))
	set := loadSet(t, s)
	if r := set.Runs[0]; r.Steady.Known() || r.InitS != nil || r.Accuracy != nil || r.GPUMemGiB != nil ||
		set.Models[0].Params != nil {
		t.Errorf("infinite numbers are taken for known: %+v of %+v", r, set.Models[0])
	}
	// A mean without an interval that holds it is not known.
	for _, interval := range []string{"steady_low_s = 3, steady_high_s = 4", "steady_low_s = 0, steady_high_s = 1"} {
		s := openAt(t, crafted(t, "UPDATE runs SET steady_s = 2, steady_basis = 'measured', "+interval))
		if got := loadSet(t, s).Runs[0].Steady; got.Known() {
			t.Errorf("%s: %+v", interval, got)
		}
	}
	for _, statement := range []string{"UPDATE prices SET usd_per_hour = 9e999", "UPDATE iterations SET seconds = 9e999",
		"UPDATE iterations SET seconds = -1"} {
		opened, _ := readAll(t, crafted(t, statement))
		oneSentence(t, opened, "crafted.db holds a value", "another program changed it")
	}
}

// Earlier versions recorded times of any size. What they recorded opens, and such a
// time is unknown.
func TestTimesOutOfBounds(t *testing.T) {
	for _, seconds := range []string{"1e160", "1e308", "1e-320"} {
		s := openAt(t, crafted(t, "UPDATE runs SET steady_s = "+seconds+", steady_low_s = 0, steady_high_s = 9e307"))
		if r := loadSet(t, s).Runs[0]; r.Steady.Known() {
			t.Errorf("steady at %s s: %+v", seconds, r.Steady)
		}
		s = openAt(t, crafted(t, "UPDATE runs SET status = 'running'; UPDATE memory SET peak_bytes = 9e999; "+
			"UPDATE iterations SET seconds = "+seconds+" WHERE seq = 7"))
		if r := loadSet(t, s).Runs[0]; r.Steady.Known() || r.FirstIterationS != nil || r.PeakMemoryBytes != nil {
			t.Errorf("an iteration of %s s: %+v", seconds, r)
		}
		if its, err := s.Iterations(t.Context(), 1); err != nil || len(its) != 20 {
			t.Errorf("an iteration of %s s: %d iterations, %v", seconds, len(its), err)
		}
	}
}

// A recorder that was last heard in the future would never fall silent: its run
// could be neither renamed nor deleted nor merged.
func TestHeartbeatInTheFuture(t *testing.T) {
	path := crafted(t, "UPDATE runs SET status = 'running', heartbeat_ms = 9223372036854775807")
	s := openAt(t, path)
	record, err := s.Record(t.Context(), 1)
	must(t, err)
	if got := loadSet(t, s).Runs[0].Status; got != profile.Interrupted || record.Status != profile.Interrupted {
		t.Errorf("the run is %s and %s", got, record.Status)
	}
	if m, err := openTemp(t).Merge(t.Context(), path); err != nil || m.Runs != 1 {
		t.Errorf("merged %+v, %v", m, err)
	}
	_, err = s.Delete(t.Context(), RunTable, 1)
	must(t, err)
}

// Values longer than any that this program writes are not read.
func TestLongValues(t *testing.T) {
	opened, merged := readAll(t, crafted(t, "UPDATE models SET name = printf('%.*c', 20000000, 'x')"))
	oneSentence(t, opened, "can't be read", "too big")
	oneSentence(t, merged, "too big")
}
