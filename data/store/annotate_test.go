package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/engine/profile"
)

var allTables = append([]string{"models", "variants", "vm_types", "prices", "machines", "runs", "picks"}, recorded...)

// content is every row of the database, as text, without the stamps of changes.
func content(tb testing.TB, s *Store) map[string][]string {
	tb.Helper()
	content := map[string][]string{}
	for _, table := range allTables {
		columns, err := all[string](tb.Context(), s.read, "SELECT name FROM pragma_table_info(?) WHERE name NOT IN "+
			"('content', 'measured', 'named', 'noted', 'kept', 'stamp', 'series_mark')", table)
		must(tb, err)
		content[table] = rowsIn(tb, s, "SELECT "+strings.Join(columns, ", ")+" FROM "+table)
	}
	return content
}

func rowsIn(tb testing.TB, s *Store, query string) (out []string) {
	tb.Helper()
	rows, err := s.read.Query(query)
	must(tb, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(tb, err)
	for rows.Next() {
		values := make([]any, len(columns))
		pointers := make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		must(tb, rows.Scan(pointers...))
		out = append(out, fmt.Sprintf("%#v", values))
	}
	must(tb, rows.Err())
	slices.Sort(out)
	return out
}

// empty is the file of a new database: making one takes longer than most checks on it.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sweetspot-empty")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "empty.db")
	s, err := Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// openQuick opens a database, a new one where there is none, that need not survive a loss
// of power.
func openQuick(tb testing.TB, path string) *Store {
	tb.Helper()
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		file, err := empty()
		must(tb, err)
		must(tb, os.WriteFile(path, file, 0o600))
	}
	s, err := Open(tb.Context(), path)
	must(tb, err)
	_, err = s.write.Exec("PRAGMA synchronous = OFF")
	must(tb, err)
	if fresh { // each has an identity of its own
		_, err = s.write.Exec("UPDATE sync_self SET id = lower(hex(randomblob(8)))")
		must(tb, err)
	}
	return s
}

// fill records and imports a few runs of few models and makes picks, as drawn.
func fill(t *rapid.T, tb testing.TB, s *Store) {
	ctx := tb.Context()
	word := rapid.SampledFrom([]string{"net", "other", "third"})
	for i := range rapid.IntRange(0, 4).Draw(t, "recorded") {
		d := description()
		d.Model.Name, d.Variant.Name = word.Draw(t, "model"), rapid.SampledFrom([]string{"", "half"}).Draw(t, "variant")
		d.Machine.Host = rapid.SampledFrom([]string{"box", "fox"}).Draw(t, "host")
		rec, err := s.Start(ctx, d)
		must(tb, err)
		if i > 0 {
			d.Series = rec.ID() - 1
		}
		must(tb, rec.Describe(ctx, d))
		must(tb, rec.Append(ctx, Batch{
			Iterations:  series(rapid.IntRange(0, 200).Draw(t, "iterations")),
			Validations: []profile.Validation{{Seconds: 1, Metric: "top-1", Value: new(0.5)}},
			Pauses:      []profile.Pause{{AtS: 2, Seconds: 1, Kind: "checkpoint"}},
			Memory:      []Memory{{T: 1, PeakBytes: 2, TotalBytes: 3}}, Telemetry: []Telemetry{{T: 1, Throttle: "heat"}},
			Layers: []Layer{{Name: "conv1", Share: 1}}, Log: []LogLine{{Text: "hello"}},
		}))
		must(tb, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
	}
	set := &profile.Set{}
	for range rapid.IntRange(0, 4).Draw(t, "imported") {
		r := runOn(word.Draw(t, "imported model"), "", "image", rapid.Float64Range(1, 9).Draw(t, "steady"))
		r.Validations = []profile.Validation{{Epoch: 1, Metric: "top-1", Value: new(0.25)}}
		if rapid.Bool().Draw(t, "work known") {
			r.Work = profile.Work{FLOPs: new(8.2e9), Activations: new(1.1e7), Params: new(2.5e7)}
		}
		set.Runs = append(set.Runs, r)
	}
	set.VMTypes = []profile.VMType{{Cloud: "aws", InstanceType: word.Draw(t, "type"),
		Prices: []profile.Price{{Purchase: profile.Spot, USDPerHour: rapid.Float64Range(0, 9).Draw(t, "price"),
			AsOf: "2026"}}}}
	_, err := s.Import(ctx, set)
	must(tb, err)
	for range rapid.IntRange(0, 2).Draw(t, "picks") {
		_, err := s.SavePick(ctx, Pick{Name: word.Draw(t, "pick"), CreatedAt: time.Unix(rapid.Int64Range(0, 1e9).Draw(t,
			"picked"), 0), Query: json.RawMessage(`{}`), Candidate: json.RawMessage(`{}`)})
		must(tb, err)
	}
}

// ids are the numbers of the rows that are there.
func ids(tb testing.TB, s *Store, of Table) (out []int64) {
	tb.Helper()
	rows, err := s.read.Query("SELECT id FROM " + string(of) + " WHERE deleted = 0 ORDER BY id")
	must(tb, err)
	defer rows.Close()
	for rows.Next() {
		var id int64
		must(tb, rows.Scan(&id))
		out = append(out, id)
	}
	must(tb, rows.Err())
	return out
}

// Whatever is deleted, one after the other and several at once: what stays is as
// it was, and taking all of it back in order leaves the database byte for byte.
func TestDeleteAndUndelete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		n++
		s := openQuick(t, filepath.Join(dir, fmt.Sprintf("%d.db", n)))
		defer s.Close()
		fill(rt, t, s)
		before, set := content(t, s), loadSet(t, s)
		var deletions []Restored
		var numbers []int64
		for range rapid.IntRange(1, 3).Draw(rt, "deletions") {
			of := rapid.SampledFrom([]Table{RunTable, PickTable}).Draw(rt, "table")
			all := ids(t, s, of)
			if len(all) == 0 {
				continue
			}
			chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), rapid.ID[int64]).Draw(rt, "chosen")
			deletion, err := s.Delete(ctx, of, chosen...)
			must(t, err)
			slices.Sort(chosen)
			numbers = append(numbers, deletion)
			if of == RunTable {
				deletions = append(deletions, Restored{Runs: chosen})
			} else {
				deletions = append(deletions, Restored{Picks: chosen})
			}
			checkWithout(t, s, set, ids(t, s, RunTable))
		}
		for i, want := range slices.Backward(deletions) {
			number := numbers[i]
			if rapid.Bool().Draw(rt, "last") {
				number = 0
			}
			back, err := s.Undelete(ctx, number)
			must(t, err)
			slices.Sort(back.Runs)
			slices.Sort(back.Picks)
			if !reflect.DeepEqual(back, want) {
				t.Fatalf("deletion %d brought back %+v, want %+v", i, back, want)
			}
		}
		if after := content(t, s); !reflect.DeepEqual(after, before) {
			t.Fatalf("after all is back:\n%v\nbefore\n%v", after, before)
		}
		if back, err := s.Undelete(ctx, 0); err != nil || back.Runs != nil || back.Picks != nil {
			t.Fatalf("there was nothing left to bring back: %+v, %v", back, err)
		}
	})
}

// checkWithout holds what readers see against the runs that are left of a set.
func checkWithout(t *testing.T, s *Store, all *profile.Set, left []int64) {
	t.Helper()
	var want []profile.Run
	models := map[string]bool{}
	for _, r := range all.Runs {
		if slices.Contains(left, r.ID) {
			want = append(want, r)
			models[r.Model] = true
		}
	}
	got := loadSet(t, s)
	if len(got.Runs) != len(want) || len(want) > 0 && !reflect.DeepEqual(got.Runs, want) {
		t.Fatalf("the runs left are %+v, want %+v", got.Runs, want)
	}
	for _, m := range got.Models {
		if !models[m.Name] {
			t.Fatalf("model %s is left without runs", m.Name)
		}
	}
	var inView, candidates int
	must(t, s.read.QueryRow("SELECT (SELECT count(*) FROM v_runs), (SELECT count(*) FROM v_candidates WHERE id NOT "+
		"IN (SELECT id FROM v_runs))").Scan(&inView, &candidates))
	if inView != len(want) || candidates != 0 {
		t.Fatalf("v_runs has %d of %d, v_candidates %d others", inView, len(want), candidates)
	}
	for _, r := range all.Runs {
		_, err := s.Iterations(t.Context(), r.ID)
		if there := slices.Contains(left, r.ID); (err == nil) != there {
			t.Fatalf("run %d is there: %v, its iterations: %v", r.ID, there, err)
		}
	}
}

func TestDeleteIsAllOrNothing(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	before := content(t, s)
	_, err = s.Delete(ctx, RunTable, rec.ID())
	oneSentence(t, err, "run 1 is being recorded", "delete it when it has ended")
	s.nowFunc = func() time.Time { return time.Now().Add(silence + time.Second) }
	_, err = s.Delete(ctx, RunTable, rec.ID(), 99)
	oneSentence(t, err, "no run 99", "runs list")
	_, err = s.Delete(ctx, PickTable, 1)
	oneSentence(t, err, "no pick 1")
	oneSentence(t, s.UndeleteRuns(ctx, rec.ID()), "no deleted run 1", "--deleted")
	if !reflect.DeepEqual(content(t, s), before) {
		t.Error("a deletion that was refused changed the database")
	}
	_, err = s.Delete(ctx, RunTable, rec.ID())
	must(t, err)
	oneSentence(t, rec.Append(ctx, Batch{Iterations: series(1)}), "deleted while it went on")
	_, err = s.Record(ctx, rec.ID())
	oneSentence(t, err, "no run 1")
	must(t, s.UndeleteRuns(ctx, rec.ID()))
	must(t, rec.Append(ctx, Batch{Iterations: series(1)}))
	gone, err := s.Purge(ctx)
	if err != nil || gone.Runs != nil || len(ids(t, s, RunTable)) != 1 {
		t.Errorf("purged %+v, %v", gone, err)
	}
}

// Purging removes what was deleted, and that alone.
func TestPurge(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	for _, name := range []string{"big", "small"} {
		d := description()
		d.Model.Name = name
		rec, err := s.Start(ctx, d)
		must(t, err)
		must(t, rec.Append(ctx, Batch{Iterations: series(map[string]int{"big": 20000, "small": 10}[name])}))
	}
	s.nowFunc = func() time.Time { return time.Now().Add(silence + time.Second) }
	_, err := s.Delete(ctx, RunTable, 1)
	must(t, err)
	gone, err := s.Purge(ctx)
	must(t, err)
	if !slices.Equal(gone.Runs, []int64{1}) {
		t.Errorf("gone are %v", gone.Runs)
	}
	after := content(t, s)
	for table, want := range map[string]int{"runs": 1, "models": 1, "variants": 1, "iterations": 10} {
		if len(after[table]) != want {
			t.Errorf("%d rows in %s", len(after[table]), table)
		}
	}
	if _, err := s.Undelete(ctx, 0); err != nil || len(loadSet(t, s).Runs) != 1 {
		t.Errorf("what was purged came back: %v", err)
	}
	must(t, s.Close())
	if info, err := os.Stat(s.Path()); err != nil || info.Size() > 400_000 {
		t.Errorf("the file kept its size: %d, %v", info.Size(), err)
	}
}

// What was deleted and is imported again is there again, with its note.
func TestImportBringsBack(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	set := &profile.Set{Runs: []profile.Run{runOn("net", "", "image", 1), runOn("net", "", "image", 2)}}
	_, err := s.Import(ctx, set)
	must(t, err)
	_, err = s.Annotate(ctx, RunTable, 1, "mine")
	must(t, err)
	_, err = s.Delete(ctx, RunTable, 1)
	must(t, err)
	set.Runs[0].Note, set.Runs[1].Note = "theirs", "theirs too"
	if n, err := s.Import(ctx, set); err != nil || n != 1 {
		t.Errorf("%d new, %v", n, err)
	}
	runs := loadSet(t, s).Runs
	if len(runs) != 2 || runs[0].Note != "mine" || runs[1].Note != "theirs too" {
		t.Errorf("runs %+v", runs)
	}
}

func TestRename(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	for _, host := range []string{"box", "fox", "dog"} {
		d := description()
		d.Machine.Host = host
		if host == "dog" {
			d.Model, d.Variant = profile.Model{Name: "other", Task: "speech"}, profile.Variant{}
		}
		rec, err := s.Start(ctx, d)
		must(t, err)
		must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
	}
	before := loadSet(t, s)
	was, err := s.Rename(ctx, []RunName{{1, "mine\x1b[31m ", "quarter"}, {2, "other", ""}})
	must(t, err)
	if want := []RunName{{1, "resnet18", "half"}, {2, "resnet18", "half"}}; !slices.Equal(was, want) {
		t.Errorf("they were %+v", was)
	}
	set := loadSet(t, s)
	mine, other := set.Runs[0], set.Runs[1]
	if mine.Model != "mine" || mine.Variant.Name != "quarter" || mine.Variant.Precision != "bf16" ||
		mine.Variant.Pruning == nil || other.Model != "other" || other.Variant.Name != "" {
		t.Errorf("renamed to %+v and %+v", mine, other)
	}
	if m, ok := set.Model("mine"); !ok || m.Params == nil || m.Dataset != "Fashion-MNIST" {
		t.Errorf("the model under its new name is %+v", m)
	}
	if m, _ := set.Model("other"); m.Task != "speech" || m.Params != nil {
		t.Errorf("the model that was there is now %+v", m)
	}
	if _, ok := set.Model("resnet18"); ok {
		t.Error("a model without runs is listed")
	}
	_, err = s.Rename(ctx, was)
	must(t, err)
	if after := loadSet(t, s); !reflect.DeepEqual(after, before) {
		t.Errorf("taken back: %+v, want %+v", after, before)
	}
}

func TestRenameAndAnnotateRefuse(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	for range 2 {
		_, err := s.Start(ctx, description())
		must(t, err)
	}
	_, err := s.Rename(ctx, []RunName{{Run: 2, Model: "x"}})
	oneSentence(t, err, "run 2 is being recorded")
	s.nowFunc = func() time.Time { return time.Now().Add(time.Minute) }
	before := content(t, s)
	for _, c := range []struct {
		to   RunName
		want string
	}{
		{RunName{Run: 9, Model: "x"}, "no run 9"},
		{RunName{Run: 2, Model: " \x1b[31m"}, "needs a name"},
		{RunName{Run: 2, Model: strings.Repeat("é", MaxName+1)}, "201 characters"},
		{RunName{Run: 2, Model: "x", Variant: strings.Repeat("v", MaxName+1)}, "201 characters"},
	} {
		_, err := s.Rename(ctx, []RunName{{Run: 1, Model: "first"}, c.to})
		oneSentence(t, err, c.want)
	}
	_, err = s.Annotate(ctx, RunTable, 1, strings.Repeat("n", MaxNote+1))
	oneSentence(t, err, "501 characters", "500")
	_, err = s.Annotate(ctx, RunTable, 9, "x")
	oneSentence(t, err, "no run 9")
	_, err = s.Annotate(ctx, PickTable, 9, "x")
	oneSentence(t, err, "no pick 9")
	if !reflect.DeepEqual(content(t, s), before) {
		t.Error("what was refused changed the database")
	}
}

func TestAnnotate(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	_, err := s.Start(ctx, description())
	must(t, err)
	_, err = s.SavePick(ctx, Pick{Query: json.RawMessage(`{}`), Candidate: json.RawMessage(`{}`)})
	must(t, err)
	for _, of := range []Table{RunTable, PickTable} {
		for _, step := range []struct{ note, was string }{{" with\nnew \x1b[31mdriver ", ""},
			{"ünïcode ' \" %", "with new driver"}, {"", "ünïcode ' \" %"}, {"last", ""}} {
			if was, err := s.Annotate(ctx, of, 1, step.note); err != nil || was != step.was {
				t.Errorf("%s: was %q, want %q; %v", of, was, step.was, err)
			}
		}
	}
	picks, err := s.Picks(ctx)
	must(t, err)
	if run := loadSet(t, s).Runs[0]; run.Note != "last" || picks[0].Note != "last" {
		t.Errorf("notes %q and %q", run.Note, picks[0].Note)
	}
}
