package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func runOn(model, dataset, unit string, seconds float64) profile.Run {
	return profile.Run{
		Model: model, Dataset: dataset, Unit: unit, Mode: profile.Train, Count: 1, BatchSize: 8, Status: profile.Done,
		Basis: estimate.Published, Steady: estimate.Exact(seconds, estimate.Published),
	}
}

// A model may be run on several datasets, in several units, and on none that is
// known: each run keeps its own, whatever was imported before it.
func TestImportKeepsDatasets(t *testing.T) {
	word := rapid.SampledFrom([]string{"", "64 px", "128 px", "256 px"})
	s := openTemp(t)
	rapid.Check(t, func(t *rapid.T) {
		set := &profile.Set{}
		for i := range rapid.IntRange(1, 12).Draw(t, "runs") {
			model := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "model")
			set.Runs = append(set.Runs, runOn(model, word.Draw(t, "dataset"), word.Draw(t, "unit"), 1+float64(i)))
		}
		before, err := s.Load(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i := range set.Runs {
			set.Runs[i].Source = fmt.Sprint("run ", len(before.Runs)+i) // each is new
		}
		if _, err := s.Import(context.Background(), set); err != nil {
			t.Fatal(err)
		}
		loaded, err := s.Load(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := loaded.Runs[len(before.Runs):]
		for i := range got {
			got[i].ID = 0
		}
		if !reflect.DeepEqual(got, set.Runs) {
			t.Fatalf("imported %+v\nloaded   %+v", set.Runs, got)
		}
	})
}

// Of two probes of a model each has the dataset its script told, in the views
// too.
func TestRecordingsKeepTheirDatasets(t *testing.T) {
	s := openTemp(t)
	for _, dataset := range []string{"CIFAR-10", "CIFAR-100"} {
		d := description()
		d.Model.Dataset = ""
		rec, err := s.Start(t.Context(), d)
		must(t, err)
		d.Model.Dataset = dataset
		must(t, rec.Describe(t.Context(), d))
		must(t,
			rec.Finish(t.Context(),
				Finish{Run: profile.Run{Status: profile.Done, Steady: estimate.Exact(1, estimate.Measured)}}))
	}
	for i, want := range []string{"CIFAR-10", "CIFAR-100"} {
		run := loadSet(t, s).Runs[i]
		var seen string
		must(t, s.read.QueryRow("SELECT dataset FROM v_candidates WHERE id = ?", run.ID).Scan(&seen))
		if r, err := s.Record(t.Context(), run.ID); err != nil || run.Dataset != want || run.Unit != "image" ||
			seen != want || r.Model.Dataset != want {
			t.Errorf("loaded %q in %q, in the view %q, described as %q, %v; told %q", run.Dataset, run.Unit, seen,
				r.Model.Dataset, err, want)
		}
	}
}

// A database of layout 4 had one dataset and unit for all runs of a model: they
// stay, and importing the same file again gives each run its own.
func TestDatasetsOfEarlierLayouts(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite3", path)
	must(t, err)
	for _, step := range steps[:4] {
		_, err := old.ExecContext(ctx, step)
		must(t, err)
	}
	runs := []profile.Run{runOn("net", "64 px", "image", 1), runOn("net", "128 px", "image", 2), runOn("other", "", "", 3)}
	_, err = old.ExecContext(ctx,
		`PRAGMA application_id = 1937208176; PRAGMA user_version = 4; INSERT INTO machines (id) VALUES (1);
		INSERT INTO models (id, name, dataset, unit) VALUES (1, 'net', '64 px', 'image'), (2, 'other', '', '');
		INSERT INTO variants (id, model_id) VALUES (1, 1), (2, 2)`)
	must(t, err)
	for i, r := range runs {
		mark, err := fingerprint(r)
		must(t, err)
		_, err = old.ExecContext(ctx,
			`INSERT INTO runs (variant_id, machine_id, mode, status, batch_size, steady_s, steady_basis, basis, fingerprint)
			VALUES (?, 1, 'train', 'done', 8, ?, 'published', 'published', ?)`, []int{1, 1, 2}[i], r.Steady.Value, mark)
		must(t, err)
	}
	must(t, old.Close())

	s := openAt(t, path)
	datasets := func() (out []string) {
		for _, r := range loadSet(t, s).Runs {
			out = append(out, r.Dataset+" "+r.Unit)
		}
		return out
	}
	if got, want := datasets(), []string{"64 px image", "64 px image", " "}; !reflect.DeepEqual(got, want) {
		t.Errorf("brought up to date: %q, want %q", got, want)
	}
	if n, err := s.Import(ctx, &profile.Set{Runs: runs}); err != nil || n != 0 {
		t.Errorf("importing them again took %d, %v", n, err)
	}
	if got, want := datasets(), []string{"64 px image", "128 px image", " "}; !reflect.DeepEqual(got, want) {
		t.Errorf("imported again: %q, want %q", got, want)
	}
}

// Nobody here goes on with a run that was going on elsewhere.
func TestImportedRunsHaveEnded(t *testing.T) {
	s := openTemp(t)
	set, want := &profile.Set{}, map[string]profile.Status{"": profile.Done, "running": profile.Done,
		"failed": profile.Failed, "interrupted": profile.Interrupted}
	for status := range want {
		r := runOn("net "+status, "", "image", 1)
		r.Status = profile.Status(status)
		set.Runs = append(set.Runs, r)
	}
	_, err := s.Import(t.Context(), set)
	must(t, err)
	for _, r := range loadSet(t, s).Runs {
		if status := want[strings.TrimSpace(strings.TrimPrefix(r.Model, "net"))]; r.Status != status {
			t.Errorf("%s is %s, want %s", r.Model, r.Status, status)
		}
	}
}
