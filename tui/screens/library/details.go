package library

import (
	"strconv"
	"strings"

	"sweetspot/data/wording"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// detailRows is the height of the panel below a list that says of the row under
// the cursor what its cells have no room for; 0 where there is none.
func (s *Screen) detailRows(k List) int {
	switch {
	case k == Models || k == VMTypes || s.h < 12:
		return 0
	case s.h < 26:
		return 5
	}
	return 6
}

// details draws the panel.
func (s *Screen) details(rows int) string {
	w, h := panel.Inner(s.w, rows)
	var lines []string
	if r := s.list().selected(); r != nil {
		for _, words := range r.words {
			lines = append(lines, theme.Pen{}.Wrap(text.Clean(words), " ", w)...)
		}
	}
	if len(lines) > h && h > 0 {
		lines = append(lines[:h-1], text.Truncate(lines[h-1], max(w-2, 1), "")+s.th.Symbols.Ellipsis)
	}
	return panel.Panel{Title: "Details"}.Render(s.th, strings.Join(lines, "\n"), s.w, rows)
}

func noteWords(note string) []string {
	if note == "" {
		return nil
	}
	return []string{"Note: " + note}
}

// runWords are the note of a run, what it is, and where it is from.
func runWords(u *profile.Run) []string {
	what := []string{u.Model}
	if v := wording.VariantLabel(u.Variant); v != "" {
		what = append(what, v)
	}
	if u.Dataset != "" {
		what = append(what, u.Dataset)
	}
	on := u.InstanceType
	if u.Count > 1 {
		on = strconv.Itoa(u.Count) + "× " + on
	}
	if u.GPU != "" {
		on += " (" + u.GPU + ")"
	}
	if on != "" {
		what = append(what, on)
	}
	if u.PeakMemoryBytes != nil {
		what = append(what, "at most "+quantity.Bytes(int64(*u.PeakMemoryBytes))+" per GPU")
	}
	words := append(noteWords(u.Note), strings.Join(what, " · "))
	if from := strings.TrimSpace(u.Source + " " + u.AsOf); from != "" {
		words = append(words, from)
	}
	return words
}
