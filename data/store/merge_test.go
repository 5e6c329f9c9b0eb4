package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/data/bundle"
	"sweetspot/engine/profile"
)

// Of two databases drawn at random, parts of which may be copies of one another:
// merging keeps all of the one, brings all of the other, and does nothing the
// second time.
func TestMerge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		n++
		name := func(of string) string { return filepath.Join(dir, fmt.Sprintf("%d%s.db", n, of)) }
		a := openQuick(t, name("a"))
		defer a.Close()
		fill(rt, t, a)
		if rapid.Bool().Draw(rt, "related") {
			_, err := a.Backup(ctx, name("b"))
			must(t, err)
			fill(rt, t, a)
		}
		b := openQuick(t, name("b"))
		defer b.Close()
		fill(rt, t, b)
		if all := ids(t, b, RunTable); len(all) > 0 {
			_, err := b.Rename(ctx, []RunName{{Run: all[0], Model: "renamed"}})
			must(t, err)
		}
		beforeA, beforeB := content(t, a), content(t, b)
		setA, setB := loadSet(t, a), loadSet(t, b)

		m, err := b.Merge(ctx, a.Path())
		must(t, err)
		if !reflect.DeepEqual(content(t, a), beforeA) {
			t.Fatal("the other database was changed")
		}
		after := content(t, b)
		for table, rows := range beforeB {
			if table == "models" { // what was unknown of them is filled in
				continue
			}
			for _, row := range rows {
				if _, there := slices.BinarySearch(after[table], row); !there {
					t.Fatalf("a row of %s is not as it was: %s", table, row)
				}
			}
		}
		setM := loadSet(t, b)
		for _, was := range setB.Models {
			is, ok := setM.Model(was.Name)
			if !ok || was.Dataset != "" && is.Dataset != was.Dataset || was.Unit != "" && is.Unit != was.Unit ||
				was.Params != nil && *is.Params != *was.Params {
				t.Fatalf("model %+v became %+v", was, is)
			}
		}
		if m.Runs != len(setM.Runs)-len(setB.Runs) || m.Runs+m.KnownRuns != len(setA.Runs) || len(m.Warnings) > 0 ||
			m.Iterations != len(after["iterations"])-len(beforeB["iterations"]) ||
			m.Picks+m.KnownPicks != len(beforeA["picks"]) ||
			m.Picks != len(after["picks"])-len(beforeB["picks"]) || m.Prices != len(after["prices"])-len(beforeB["prices"]) {
			t.Fatalf("counted %+v; %d and %d runs became %d", m, len(setA.Runs), len(setB.Runs), len(setM.Runs))
		}
		checkHolds(t, b, setM.Runs[len(setB.Runs):], a, setA.Runs)

		again, err := b.Merge(ctx, a.Path())
		must(t, err)
		if want := (Merged{KnownRuns: len(setA.Runs), KnownPicks: len(beforeA["picks"])}); !reflect.DeepEqual(again, want) {
			t.Fatalf("the second time counted %+v, want %+v", again, want)
		}
		if !reflect.DeepEqual(content(t, b), after) {
			t.Fatal("merging twice is not merging once")
		}
	})
}

// checkHolds checks that every new run is one of the other database, with all its
// iterations.
func checkHolds(t *testing.T, s *Store, fresh []profile.Run, other *Store, all []profile.Run) {
	t.Helper()
	for _, r := range fresh {
		its, err := s.Iterations(t.Context(), r.ID)
		must(t, err)
		found := slices.ContainsFunc(all, func(o profile.Run) bool {
			otherIts, err := other.Iterations(t.Context(), o.ID)
			must(t, err)
			o.ID = r.ID
			return reflect.DeepEqual(o, r) && slices.Equal(otherIts, its)
		})
		if !found {
			t.Fatalf("run %d is none of the other database: %+v", r.ID, r)
		}
	}
}

func TestMergeRefusesInOneSentence(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "mine.db"))
	_, err := s.Start(ctx, description())
	must(t, err)
	link := filepath.Join(dir, "link.db")
	must(t, os.Symlink(s.Path(), link))

	other := openAt(t, filepath.Join(dir, "damaged.db"))
	rec, err := other.Start(ctx, description())
	must(t, err)
	must(t, rec.Append(ctx, Batch{Iterations: series(5000)}))
	must(t, other.Close())
	bad, err := os.ReadFile(other.Path())
	must(t, err)
	copy(bad[len(bad)/2:], bytes.Repeat([]byte{0xff}, 4096))
	must(t, os.WriteFile(other.Path(), bad, 0o644))

	changed := openAt(t, filepath.Join(dir, "changed.db"))
	rec, err = changed.Start(ctx, description())
	must(t, err)
	must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
	must(t, changed.Close())
	for _, step := range []string{
		"PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'variants'",
		"UPDATE variants SET model_id = 'net'",
	} {
		db, err := sql.Open("sqlite3", changed.Path())
		must(t, err)
		_, err = db.Exec(step)
		must(t, err)
		must(t, db.Close())
	}

	cases := notOurs(t, dir)
	cases["changed"] = refused{changed.Path(), []string{"changed by another program", "row 1 of variants"}}
	cases["itself"] = refused{s.Path(), []string{"is this database itself"}}
	cases["itself by a link"] = refused{link, []string{"is this database itself"}}
	cases["damaged"] = refused{other.Path(), []string{"damaged.db is damaged", ".recover"}}
	before := content(t, s)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := s.Merge(ctx, c.path)
			oneSentence(t, err, c.words...)
		})
	}
	if !reflect.DeepEqual(content(t, s), before) {
		t.Error("a merge that was refused changed the database")
	}
	if _, err := s.Start(ctx, description()); err != nil {
		t.Errorf("writing after refusals: %v", err)
	}
}

// What was deleted here stays deleted, what is deleted there stays there, and
// what is being recorded there waits.
func TestMergeLeavesOut(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	a := openAt(t, filepath.Join(dir, "a.db"))
	for i := range 4 {
		rec, err := a.Start(ctx, description())
		must(t, err)
		if i < 3 {
			must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
		}
	}
	_, err := a.Delete(ctx, RunTable, 1)
	must(t, err)
	b := openAt(t, filepath.Join(dir, "b.db"))
	m, err := b.Merge(ctx, a.Path())
	must(t, err)
	if m.Runs != 2 ||
		!slices.Equal(m.Warnings, []string{"1 run is being recorded there and left out; merge again when that has ended"}) {
		t.Errorf("merged %+v", m)
	}
	b.nowFunc = func() time.Time { return time.Now().Add(time.Minute) } // its recorder was killed
	_, err = b.Delete(ctx, RunTable, 1, 2)
	must(t, err)
	m, err = b.Merge(ctx, a.Path())
	must(t, err)
	if m.Runs != 1 || m.KnownRuns != 2 ||
		!slices.Equal(m.Warnings,
			[]string{"2 runs are deleted here and not brought back; sweetspot runs undelete does that"}) {
		t.Errorf("merged again %+v", m)
	}
	if runs := loadSet(t, b).Runs; len(runs) != 1 || runs[0].Status != profile.Interrupted {
		t.Errorf("runs %+v", runs)
	}
}

// What was purged here does not come back either, unless it is undeleted there and both sync, as the warning says.
func TestMergeLeavesOutWhatWasPurged(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	a, b := openAt(t, filepath.Join(dir, "a.db")), openAt(t, filepath.Join(dir, "b.db"))
	rec, err := a.Start(ctx, description())
	must(t, err)
	must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
	_, err = b.Merge(ctx, a.Path())
	must(t, err)
	_, err = b.Delete(ctx, RunTable, 1)
	must(t, err)
	_, err = b.Purge(ctx)
	must(t, err)
	m, err := b.Merge(ctx, a.Path())
	must(t, err)
	if m.Runs != 0 || !slices.Equal(m.Warnings, []string{"1 run is purged here and not brought back; to have one again, " +
		"delete and undelete it there, then sync both databases"}) {
		t.Errorf("merged %+v", m)
	}
	_, err = a.Delete(ctx, RunTable, 1)
	must(t, err)
	must(t, a.UndeleteRuns(ctx, 1))
	folder := bundle.Directory{Path: filepath.Join(dir, "shared")}
	for _, s := range []*Store{a, b} {
		_, err := s.Sync(ctx, folder)
		must(t, err)
	}
	if runs := loadSet(t, b).Runs; len(runs) != 1 {
		t.Errorf("runs %+v", runs)
	}
}

// Runs of a matrix keep together under the numbers they have here, and text is
// cleaned on its way in.
func TestMergeRenumbersAndCleans(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	a, b := openAt(t, filepath.Join(dir, "a.db")), openAt(t, filepath.Join(dir, "b.db"))
	for range 3 {
		_, err := b.Start(ctx, Description{Model: profile.Model{Name: "here"}, Mode: profile.Train})
		must(t, err)
	}
	for range 3 {
		d := description()
		d.Series = 1
		_, err := a.Start(ctx, d)
		must(t, err)
	}
	_, err := a.write.Exec("UPDATE models SET name = 'a' || char(27) || '[31mb'; UPDATE runs SET heartbeat_ms = 0, " +
		"source = char(27) || '[2Jx'")
	must(t, err)
	_, err = a.write.Exec("INSERT INTO log_lines VALUES (2, 0, 1, 'out', 'evil ' || char(27) || ']0;x' || char(7))")
	must(t, err)
	_, err = b.Merge(ctx, a.Path())
	must(t, err)
	for query, want := range map[string]string{
		"SELECT group_concat(series) FROM runs WHERE id > 3":                   "4,4,4",
		"SELECT DISTINCT source FROM runs WHERE id > 3":                        "x",
		"SELECT text FROM log_lines":                                           "evil ",
		"SELECT group_concat(name) FROM (SELECT name FROM models ORDER BY id)": "here,ab",
	} {
		var got string
		must(t, b.read.QueryRow(query).Scan(&got))
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// layoutFive makes a database as it was before this layout, with a recorded run.
func layoutFive(t *testing.T, path string) {
	t.Helper()
	old, err := sql.Open("sqlite3", path)
	must(t, err)
	for _, step := range append(steps[:5:5], `PRAGMA application_id = 1937208176; PRAGMA user_version = 5;
		INSERT INTO machines (id) VALUES (1); INSERT INTO models (id, name) VALUES (1, 'net'); INSERT INTO variants (id, model_id) VALUES (1, 1);
		INSERT INTO runs (variant_id, machine_id, mode, status, basis, started_at, iterations) VALUES (1, 1, 'train', 'done', 'measured', '2026-01-02T03:04:05.678Z', 1);
		INSERT INTO iterations VALUES (1, 0, 0, 0, 0, 0.25, 8, 1);
		INSERT INTO picks (created_at, query, candidate) VALUES ('2026-01-02T03:04:05.678Z', '{}', '{}')`) {
		_, err := old.Exec(step)
		must(t, err)
	}
	must(t, old.Close())
}

// A database of the layout before is merged without being touched, and is known
// again when it has itself been brought up to date.
func TestMergeOfAnEarlierLayout(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	path := filepath.Join(dir, "old.db")
	layoutFive(t, path)
	before, err := os.ReadFile(path)
	must(t, err)
	s := openAt(t, filepath.Join(dir, "mine.db"))
	m, err := s.Merge(ctx, path)
	must(t, err)
	if want := (Merged{Runs: 1, Iterations: 1, Picks: 1}); !reflect.DeepEqual(m, want) {
		t.Errorf("merged %+v, want %+v", m, want)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed: %v", err)
	}
	old := openAt(t, path)
	if set := loadSet(t, old); len(set.Runs) != 1 || set.Runs[0].Note != "" || set.Runs[0].Model != "net" {
		t.Errorf("brought up to date: %+v", set)
	}
	if m, err := s.Merge(ctx, path); err != nil || m.Runs != 0 || m.KnownRuns != 1 {
		t.Errorf("merged again %+v, %v", m, err)
	}
}

// A merge of an earlier layout works on a copy. Killed at any moment, it leaves
// none behind.
func TestKilledMergeLeavesNothing(t *testing.T) {
	dir, temporary := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "p.db")
	must(t, openAt(t, path).Close())
	must(t, openAt(t, filepath.Join(dir, "other.db")).Close())
	layoutFive(t, filepath.Join(dir, "old.db"))
	old, err := sql.Open("sqlite3", filepath.Join(dir, "old.db"))
	must(t, err)
	_, err = old.Exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) " +
		"INSERT INTO iterations SELECT 1, i, 0, i, 0, 0.25, 8, i FROM n")
	must(t, err)
	must(t, old.Close())
	random := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		cmd, _ := player(t, "merge", path)
		cmd.Env = append(cmd.Env, "TMPDIR="+temporary, "SQLITE_TMPDIR="+temporary)
		must(t, cmd.Start())
		time.Sleep(time.Duration(random.IntN(600)) * time.Millisecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		if left, _ := filepath.Glob(filepath.Join(temporary, "*")); left != nil {
			t.Fatalf("left behind: %v", left)
		}
	}
	s := openAt(t, path)
	for range 2 {
		_, err = s.Merge(t.Context(), filepath.Join(dir, "old.db"))
		must(t, err)
	}
	if its, err := s.Iterations(t.Context(), 1); err != nil || len(its) != 200001 {
		t.Errorf("%d iterations after the kills, %v", len(its), err)
	}
}

func TestBackup(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "p.db"))
	rec, err := s.Start(ctx, description())
	must(t, err)
	must(t, rec.Append(ctx, Batch{Iterations: series(1000)}))
	_, err = s.SavePick(ctx, Pick{Query: json.RawMessage(`{}`), Candidate: json.RawMessage(`{}`)})
	must(t, err)
	_, err = s.Delete(ctx, PickTable, 1)
	must(t, err)

	path := filepath.Join(dir, "it's a %copy?.db")
	size, err := s.Backup(ctx, path)
	must(t, err)
	info, err := os.Stat(path)
	must(t, err)
	if info.Size() != size || size < 10_000 {
		t.Errorf("said %d bytes, has %d", size, info.Size())
	}
	copied := openAt(t, path)
	if !reflect.DeepEqual(content(t, copied), content(t, s)) {
		t.Error("the copy has another content")
	}
	empty := filepath.Join(dir, "empty.db")
	must(t, os.WriteFile(empty, nil, 0o600))
	must(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.db")))
	for to, words := range map[string][]string{
		path: {"exists already"}, empty: {"exists already"}, s.Path(): {"exists already"}, dir: {"exists already"},
		filepath.Join(dir, "dangling.db"):   {"exists already"},
		filepath.Join(dir, "no", "such.db"): {"can't be created", "no such file", "directory is there"},
	} {
		_, err := s.Backup(ctx, to)
		oneSentence(t, err, words...)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".sweetspot*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	// What a killed one left goes with the next, what one under way needs stays.
	stale, busy := filepath.Join(dir, ".sweetspot-backup-1"), filepath.Join(dir, ".sweetspot-backup-2")
	must(t, errors.Join(os.Mkdir(stale, 0o700), os.Mkdir(busy, 0o700)))
	must(t, os.WriteFile(filepath.Join(stale, "part.db"), nil, 0o600))
	held, err := hold(busy)
	must(t, err)
	_, err = s.Backup(ctx, filepath.Join(dir, "another.db"))
	must(t, err)
	if left, _ := filepath.Glob(filepath.Join(dir, ".sweetspot*")); !slices.Equal(left, []string{busy}) {
		t.Errorf("left are %v", left)
	}
	must(t, held.Close())
	must(t, rec.Append(ctx, Batch{Iterations: series(1)})) // readers were put back to reading, the writer writes
}

// Prices are named where any came.
func TestWordsOfAMerge(t *testing.T) {
	for want, m := range map[string]Merged{
		"1 run new, 0 here already, 2 picks new": {Runs: 1, Picks: 2},
		"2 runs new, 3 here already, 9 iterations, 0 picks new, 1 price new": {Runs: 2, KnownRuns: 3, Iterations: 9,
			Prices: 1},
	} {
		if got := m.String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
