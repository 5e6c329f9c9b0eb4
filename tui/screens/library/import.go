package library

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/intake"
	"sweetspot/engine/quantity"
	"sweetspot/tui/theme"
)

// Import is how an import stands.
type Import struct {
	Done, All int // files; All is 0 while they are being found
	Ended     bool
	Result    intake.Result // so far
	Failure   string        // that ended it, "" for none
}

// SetImport shows how an import stands, in a list of its own. Once it has ended,
// the files that one should look at come first.
func (s *Screen) SetImport(in Import) {
	s.progress = &in
	files := in.Result.Files
	if in.Ended {
		files = slices.Clone(files)
		slices.SortStableFunc(files, func(a, b intake.File) int { return concern(a) - concern(b) })
	}
	l := s.lists[Imports]
	l.set(source{n: len(files), id: func(i int) int64 { return int64(i) },
		row: func(i int) *row { return fileRow(int64(i), &files[i]) }})
	l.refresh(s.filter)
}

// ShowImport turns to the list of the import.
func (s *Screen) ShowImport() {
	if s.progress != nil {
		s.current = Imports
	}
}

// concern orders files: bad ones, those with warnings, the rest.
func concern(f intake.File) int {
	switch {
	case f.Error != nil:
		return 0
	case len(f.Warnings) > 0:
		return 1
	}
	return 2
}

func fileRow(id int64, f *intake.File) *row {
	r := &row{id: id, words: append([]string{f.File}, f.Warnings...),
		numbers: map[string]float64{"runs": float64(f.Runs), "new": float64(f.Imported)},
		cells: map[string]string{"file": f.File, "format": "—", "runs": strconv.Itoa(f.Runs),
			"new": strconv.Itoa(f.Imported), "says": strings.Join(f.Warnings, "; ")}}
	if f.Format != nil {
		r.cells["format"] = *f.Format
	}
	switch {
	case f.Error != nil:
		r.cells["became"], r.cells["says"] = "not read", *f.Error
		r.words = []string{f.File, *f.Error}
	case f.Imported > 0:
		r.cells["became"] = "imported"
	case f.Runs > 0:
		r.cells["became"] = "known"
	default:
		r.cells["became"] = "no runs"
	}
	return r
}

// headline says how far the import is, or what it came to.
func (in *Import) headline(th *theme.Theme) string {
	r := &in.Result
	came := fmt.Sprintf("%s, %s new", quantity.Several(r.Runs, "run"), quantity.Count(float64(r.Imported)))
	switch {
	case !in.Ended && in.All == 0:
		return th.Dim.Render("looking for files" + th.Symbols.Ellipsis)
	case !in.Ended:
		return th.Key.Render(fmt.Sprintf("%s of %s", quantity.Count(float64(in.Done)), quantity.Several(in.All, "file"))) +
			th.Dim.Render(" · "+came+" · esc stops")
	}
	words := []string{came}
	if in.Failure != "" {
		words = []string{in.Failure, came}
	}
	if n := len(r.Bad); n > 0 {
		words = append(words, th.Bad.Render(quantity.Several(n, "file")+" not read"))
	}
	for _, c := range r.ByFormat() {
		words = append(words, fmt.Sprintf("%s: %s, %s", c.Format, quantity.Several(c.Files, "file"),
			quantity.Several(c.Runs, "run")))
	}
	if over := r.PassedOver(); over != "" {
		words = append(words, over)
	}
	return th.Dim.Render(strings.Join(words, " · "))
}
