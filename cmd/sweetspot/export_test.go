package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/profilecsv"
	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// recorded is a database with a run that was measured, one that ran out of
// memory and one that failed before its first iteration.
func recorded(t *testing.T) (path string, its []store.Iteration) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "p.db")
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		its = append(its, store.Iteration{Epoch: i / 100, Index: i % 100, Seconds: 0.1 + float64(i%7)/1e4, Units: 8})
	}
	record := func(model string, b store.Batch, f store.Finish) {
		d := store.Description{Model: profile.Model{Name: model}, Mode: profile.Train, Machine: store.Machine{Host: "box"}}
		rec, err := db.Start(t.Context(), d)
		if err == nil {
			err = errors.Join(rec.Append(t.Context(), b), rec.Finish(t.Context(), f))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	record("net", store.Batch{Iterations: its, Validations: []profile.Validation{{Epoch: 1, Seconds: 2, Metric: "top1",
		Value: new(0.5), HigherIsBetter: true}}}, store.Finish{Run: profile.Run{Status: profile.Done,
		FirstIterationS: new(0.1), Steady: estimate.Spread(0.1, 0.01, estimate.Measured), SteadyN: 290}})
	record("large", store.Batch{}, store.Finish{Run: profile.Run{Status: profile.OutOfMemory}})
	record("broken", store.Batch{}, store.Finish{Run: profile.Run{Status: profile.Failed}})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path, its
}

func TestExportRunsWithEveryIteration(t *testing.T) {
	path, its := recorded(t)
	text, stderr, err := execute(t, "export", "--runs", "--format", "JSON", "--db", path)
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	var got struct {
		Schema   int
		Command  string
		Warnings []string
		Runs     []struct {
			Model, Status string
			Host          *string
			InstanceType  *string                         `json:"instance_type"`
			BatchSize     *int                            `json:"batch_size"`
			GPUCount      *int                            `json:"gpu_count"`
			Steady        struct{ S, Low, High *float64 } `json:"steady_iteration"`
			Iterations    []struct {
				Epoch, Index int
				Seconds      float64
			}
			Validations []struct {
				Epoch   int
				Seconds float64
				Value   *float64
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if got.Schema != 1 || got.Command != "export" || got.Warnings == nil || len(got.Runs) != 2 {
		t.Fatalf("schema %d, command %q, %d runs", got.Schema, got.Command, len(got.Runs))
	}
	net, large := got.Runs[0], got.Runs[1]
	if net.Model != "net" || *net.Host != "box" || net.InstanceType != nil || net.BatchSize != nil ||
		net.GPUCount != nil || *net.Steady.S != 0.1 {
		t.Errorf("%+v", net)
	}
	if large.Model != "large" || large.Status != "oom" || large.Steady.S != nil || large.Iterations == nil ||
		large.Validations == nil {
		t.Errorf("%+v", large)
	}
	if len(net.Iterations) != len(its) || len(net.Validations) != 1 || *net.Validations[0].Value != 0.5 {
		t.Fatalf("%d iterations, %d validations", len(net.Iterations), len(net.Validations))
	}
	for i, it := range net.Iterations {
		if it.Epoch != its[i].Epoch || it.Index != its[i].Index || it.Seconds != its[i].Seconds {
			t.Fatalf("iteration %d: %+v, recorded %+v", i, it, its[i])
		}
	}
}

func TestExportRunsAsCSVToAFile(t *testing.T) {
	path, _ := recorded(t)
	file := filepath.Join(t.TempDir(), "runs.csv")
	out, stderr, err := execute(t, "export", "--runs", "--out", file, "--db", path)
	if err != nil || out != "" || stderr != "wrote "+file+"\n" {
		t.Fatalf("%v, %q, %q", err, out, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if set, err := profilecsv.Read(strings.NewReader(string(text))); err != nil ||
		set.Runs[1].Status != profile.OutOfMemory {
		t.Errorf("read back: %v", err)
	}
	if _, _, err := execute(t, "export", "--runs", "--model", "net", "--place", "2", "--db", path); err == nil ||
		!strings.Contains(err.Error(), "whatever --model or --place asks for") {
		t.Errorf("flags of a pick beside runs: %v", err)
	}
	if _, _, err := execute(t, "export", "--runs", "--out", file, "--db", path); err == nil ||
		!strings.Contains(err.Error(), "--force") {
		t.Errorf("overwritten: %v", err)
	}
	file = filepath.Join(t.TempDir(), "runs.json")
	if _, _, err := execute(t, "export", "--runs", "--out", file, "--db", path); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(file); err != nil || !json.Valid(text) {
		t.Errorf("not JSON by the name of its file: %v, %.80s", err, text)
	}
}
