package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
)

// ended is a row of a matrix whose probe has ended.
func ended(batch int) matrix.Row {
	u := session.Update{Seq: 1, Done: true, StoppedBecause: steady.Precise, Run: profile.Run{Model: "<net>",
		Mode: profile.Infer, BatchSize: batch, Status: profile.Done}}
	return matrix.Row{Cell: matrix.Cell{Batch: batch}, State: matrix.Done, Update: u}
}

func printed(t *testing.T, asJSON bool, updates ...matrix.Update) string {
	t.Helper()
	var out strings.Builder
	p := printer{out: &out, json: asJSON, set: &profile.Set{}, path: "p.db",
		epochs: func(matrix.Row) []float64 { return defaultEpochs }}
	for _, u := range updates {
		if err := p.print(u); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// Of several probes each is a document on a line of its own, also one that
// could not be measured; a single one is a document for people to read, too.
func TestSeveralProbesAreJSONLines(t *testing.T) {
	failed := matrix.Row{Cell: matrix.Cell{Batch: 64}, State: matrix.Failed, Why: "no such file"}
	text := printed(t, true, matrix.Update{Done: true, Rows: []matrix.Row{ended(16), ended(32), failed}})
	var batches []any
	in := json.NewDecoder(strings.NewReader(text))
	for {
		var document struct {
			Command  string
			Warnings []string
			Run      *struct {
				BatchSize int `json:"batch_size"`
			}
		}
		err := in.Decode(&document)
		if err == io.EOF {
			break
		}
		if err != nil || document.Command != "probe" {
			t.Fatalf("%v: %+v", err, document)
		}
		if document.Run == nil {
			batches = append(batches, document.Warnings[0])
			continue
		}
		batches = append(batches, document.Run.BatchSize)
	}
	if want := []any{16, 32, "batch 64: failed, no such file"}; !slices.Equal(batches, want) {
		t.Errorf("got %v, want %v", batches, want)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"<net>"`) {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("no document: %s", line)
		}
	}
	one := printed(t, true, matrix.Update{Done: true, Rows: []matrix.Row{ended(16)}})
	if !json.Valid([]byte(one)) || strings.Count(one, "\n") < 20 {
		t.Errorf("a single probe:\n%s", one)
	}
}

// What a stop left out is said after what it ended.
func TestSkippedRowsComeLast(t *testing.T) {
	running := matrix.Row{Cell: matrix.Cell{Batch: 16}, State: matrix.Running}
	skipped := matrix.Row{Cell: matrix.Cell{Batch: 32}, State: matrix.Skipped, Why: "stopped before its turn"}
	stopping := matrix.Update{Stopping: true, Rows: []matrix.Row{running, skipped}}
	if text := printed(t, false, stopping); text != "" {
		t.Errorf("before the end:\n%s", text)
	}
	text := printed(t, false, stopping, matrix.Update{Done: true, Rows: []matrix.Row{ended(16), skipped}})
	run, left := strings.Index(text, "batch 16"), strings.Index(text, "batch 32: skipped, stopped before its turn")
	if run < 0 || left < run {
		t.Errorf("%d, %d:\n%s", run, left, text)
	}
	// One that is skipped for another reason is said at once.
	if text := printed(t, false, matrix.Update{Rows: []matrix.Row{running, skipped}}); !strings.Contains(text,
		"batch 32: skipped") {
		t.Errorf("%q", text)
	}
}
