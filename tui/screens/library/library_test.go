package library

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/data/intake"
	"sweetspot/engine/profile"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/theme"
)

func TestEveryShelfIsARegionOfItsOwn(t *testing.T) {
	s := New(&screen.Shell{Theme: theme.New("", true, false)})
	for _, want := range []string{keys.InModels, keys.InRuns, keys.InVMs, keys.InPicks, keys.InModels} {
		if s.Region() != want {
			t.Errorf("%s is in %s, want %s", listNames[s.List()], s.Region(), want)
		}
		s.Turn(1)
	}
}

// The list of an import is there once one was made, and says of a file all that
// its cells have no room for.
func TestImportHasAShelf(t *testing.T) {
	s := New(&screen.Shell{Theme: theme.New("", true, false)})
	s.SetSize(60, 20)
	s.ShowImport()
	if s.List() == Imports {
		t.Fatal("there was no import")
	}
	long := "row 7, column steady_iteration_s: a value that is long enough to be cut in its cell and is read below " +
		"the list"
	files := []intake.File{{File: "good.csv", Runs: 3, Imported: 3},
		{File: "odd.csv", Runs: 1, Warnings: []string{"no GPU is named"}}, {File: "bad.csv", Error: &long}}
	s.SetImport(Import{Done: 3, All: 9, Result: intake.Result{Files: files, Runs: 4, Imported: 3}})
	s.ShowImport()
	if got := ansi.Strip(s.View()); s.Region() != keys.InImport ||
		!strings.Contains(got, "3 of 9 files · 4 runs, 3 new · esc stops") || strings.Contains(got, "below the list") {
		t.Errorf("while it goes on, in %s:\n%s", s.Region(), got)
	}
	s.SetImport(Import{Ended: true, Result: intake.Result{Files: files, Bad: files[2:], Runs: 4, Imported: 3}})
	got := ansi.Strip(s.View())
	bad, odd, good := strings.Index(got, "bad.csv"), strings.Index(got, "odd.csv"), strings.Index(got, "good.csv")
	if bad < 0 || bad > odd || odd > good || !strings.Contains(got, "1 file not read") {
		t.Errorf("at the end:\n%s", got)
	}
	s.Act(keys.Top)
	if got := ansi.Strip(s.View()); !strings.Contains(strings.Join(strings.Fields(got), " "), "below the │ │ list") &&
		!strings.Contains(got, "below the list") {
		t.Errorf("the sentence is cut:\n%s", got)
	}
	s.Turn(1)
	if s.List() != Models {
		t.Errorf("after Import comes %s", listNames[s.List()])
	}
}

// What a model file or a probe tells of a model is in its row.
func TestModelsTellTheirSize(t *testing.T) {
	set := &profile.Set{
		Models: []profile.Model{{Name: "net", Unit: "image", Params: new(25_557_032.0), FLOPsPerUnit: new(8.178e9)}},
		Runs:   []profile.Run{{ID: 1, Model: "net", Mode: profile.Infer, TotalS: new(3.0)}},
	}
	rows := modelRows(set)
	if len(rows) != 1 || rows[0].cells["params"] != "25,557,032" || rows[0].cells["flops"] != "8.18" {
		t.Errorf("%d rows, the first %v", len(rows), rows[0].cells)
	}
}
