package probe

import (
	"strings"

	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
)

// formTop is the first line of the form's fields on the screen.
func formTop(h int) int {
	if bare(h) {
		return 0
	}
	return 1
}

// bare reports whether there is no room for a border around the form.
func bare(h int) bool { return h < len(fields)+6 }

// viewForm draws the form; where it doesn't fit, the rows around the cursor.
func (s *Screen) viewForm() string {
	w, h := s.w, s.h
	if !bare(h) {
		w, h = panel.Inner(w, h)
	}
	var lines []string
	for i, f := range fields {
		lines = append(lines, s.formLine(i, f, w))
	}
	lines = append(lines, "", s.startLine(w))
	below := s.formNotes(w)
	room := max(h-len(below), 3)
	if cursor := min(s.row, len(fields)) + s.row/len(fields); len(lines) > room {
		from := min(max(cursor-room/2, 0), len(lines)-room)
		lines = lines[from : from+room]
	}
	lines = append(lines, below...)
	if bare(s.h) {
		return text.Block(lines, w, h)
	}
	return panel.Panel{Title: "What to measure", Focused: true}.Render(s.th, strings.Join(lines, "\n"), s.w, s.h)
}

// The least room of a value and of its hint, which goes where there is less.
const (
	leastValue = 24
	hintWidth  = 58
	leastHint  = 20
	labelWidth = 18 // with the gutter
)

func (s *Screen) formLine(i int, f field, w int) string {
	th := s.th
	here := i == s.row
	mark := " "
	if here {
		mark = th.Knob.Render(th.Symbols.Here)
	}
	value := text.Clean(f.show(s.form))
	room := min(max(w-labelWidth-hintWidth, leastValue), 60)
	hint := f.hint
	if w-labelWidth-room < leastHint {
		room, hint = w-labelWidth-1, ""
	}
	switch {
	case here && s.typing:
		tail := s.typed
		if over := text.Width(tail) - (room - 1); over > 0 {
			tail = string([]rune(tail)[min(over, len([]rune(tail))):])
		}
		value = th.Key.Render(tail) + th.Cursor.Render(" ")
	case f.choices != nil && !f.typed:
		value = th.Title.Render(value) + th.Faint.Render("  <>")
	default:
		value = th.Title.Render(text.Truncate(value, room, th.Symbols.Ellipsis))
	}
	line := text.Fit(" "+mark+" "+text.Fit(f.label, labelWidth-4)+text.Fit(value, room)+" "+th.Dim.Render(hint), w)
	if here && !s.typing {
		return th.Selected.Over(line)
	}
	return line
}

func (s *Screen) startLine(w int) string {
	th := s.th
	line := "   " + th.Key.Render("start the probe")
	if s.row == len(fields) {
		line = " " + th.Knob.Render(th.Symbols.Here) + " " + th.Key.Render("start the probe")
		return th.Selected.Over(text.Fit(line, w))
	}
	return line
}

// formNotes are the error, or how the probe will end.
func (s *Screen) formNotes(w int) []string {
	words, pen := "The model runs here for some seconds. The probe ends by itself when the mean time of an iteration is known well enough, or at a cap; what it measured is saved and stands on Explore.", s.th.Dim
	if s.err != "" {
		words, pen = s.err, s.th.Bad
	}
	lines := []string{""}
	for _, l := range text.Wrap(words, max(min(w-3, 90), 1)) {
		lines = append(lines, "   "+pen.Render(l))
	}
	if s.err == "" && s.h < 16 {
		return nil
	}
	return lines
}
