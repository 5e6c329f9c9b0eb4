package probe

import (
	"slices"
	"strings"

	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// viewForm draws the form; where it doesn't fit, the rows around the cursor.
func (s *Screen) viewForm() string {
	w, h := s.formSize()
	from, below := s.formWindow()
	var lines []string
	all := s.formLines(w)
	for _, l := range all[from:min(from+max(h-len(below), leastFormRows), len(all))] {
		lines = append(lines, l.text)
	}
	lines = append(lines, below...)
	if bare(s.h) {
		return text.Block(lines, w, h)
	}
	return panel.Panel{Title: "What to measure", Focused: true}.Render(s.th, strings.Join(lines, "\n"), s.w, s.h)
}

// formLine is a line of the form and its row, -1 for none.
type formLine struct {
	text string
	row  int
}

// formLines are all lines of the form in w cells.
func (s *Screen) formLines(w int) (lines []formLine) {
	add := func(text string, row int) { lines = append(lines, formLine{text, row}) }
	for i, f := range fields {
		add(s.fieldLine(i, f, w), i)
	}
	if s.form.IsQueued() {
		add("", -1)
	}
	for _, head := range s.offersHead(w) {
		add(head, -1)
	}
	for i, o := range s.offers() {
		row := len(fields) + i
		add(s.offerLine(o, row == s.row, w), row)
	}
	add("", -1)
	add(s.startLine(w), s.startRow())
	for i, l := range s.goesOn {
		row := s.startRow() + 1 + i
		add(s.leftLine(l, row == s.row, w), row)
	}
	return lines
}

// leastFormRows are shown of the form however long the words below it are.
const leastFormRows = 3

// formSize is the room for the form in cells.
func (s *Screen) formSize() (w, h int) {
	if bare(s.h) {
		return s.w, s.h
	}
	return panel.Inner(s.w, s.h)
}

// formWindow is the first line of the form that is shown, and what stands
// below it.
func (s *Screen) formWindow() (from int, below []string) {
	w, h := s.formSize()
	below = s.formNotes(w)
	lines := s.formLines(w)
	room := max(h-len(below), leastFormRows)
	if len(lines) <= room {
		return 0, below
	}
	cursor := slices.IndexFunc(lines, func(l formLine) bool { return l.row == s.row })
	return min(max(cursor-room/2, 0), len(lines)-room), below
}

// The least and the most room of a value with its hint beside it.
const (
	leastValue = 24
	mostValue  = 60
	labelWidth = 18 // with the gutter
)

// widestHint is the room that the hints take.
var widestHint = func() int {
	w := 0
	for i := range fields {
		w = max(w, text.Width(fields[i].hint))
	}
	return w
}()

// hintsBeside reports whether w cells have room for the hints beside the
// values; else that of the field under the cursor stands below the form.
func hintsBeside(w int) bool { return w >= labelWidth+leastValue+1+widestHint }

func (s *Screen) fieldLine(i int, f field, w int) string {
	th := s.th
	here := i == s.row
	mark := " "
	if here {
		mark = th.Knob.Render(th.Symbols.Here)
	}
	value := text.Clean(f.shown(s.form))
	out := (f.ofModel && s.form.OfCommand() || f.ofHost && s.form.IsQueued()) && (!here || !s.typing)
	switch {
	case out && f.ofHost:
		value = "the queue's own"
	case out:
		value = ownWords
	}
	hint := f.hintFor(s.form)
	if here && s.typing && f.label == vmLabel {
		if names := matching(s.set, s.input.Value()); len(names) > 0 {
			hint = matchWords(names)
		}
	}
	room := min(w-labelWidth-1-widestHint, mostValue)
	if !hintsBeside(w) || text.Width(value) > room {
		room, hint = w-labelWidth-1, ""
	}
	switch {
	case here && s.typing:
		value = s.input.View(room)
	case out:
		value = text.Truncate(value, room, th.Symbols.Ellipsis)
	case f.read == nil:
		value = th.Title.Render(value) + th.Faint.Render("  <>")
	default:
		value = th.Title.Render(text.Truncate(value, room, th.Symbols.Ellipsis))
	}
	line := text.Fit(" "+mark+" "+text.Fit(f.label, labelWidth-4)+text.Fit(value, room)+" "+th.Dim.Render(hint), w)
	switch {
	case here && !s.typing:
		return th.Selected.Over(line)
	case out:
		return th.Faint.Over(line)
	}
	return line
}

func (s *Screen) startLine(w int) string {
	th := s.th
	mark, here := " ", s.row == s.startRow()
	if here {
		mark = th.Knob.Render(th.Symbols.Here)
	}
	line := text.Fit(" "+mark+" "+th.Key.Render(s.form.startWords()), w)
	if here {
		return th.Selected.Over(line)
	}
	return line
}

// formNotes are the hint, and the error, or what the form comes to and how
// probes end.
func (s *Screen) formNotes(w int) []string {
	hint := s.hintBelow(w)
	if s.err != "" {
		if len(hint) == 0 {
			hint = []string{""}
		}
		return append(hint, s.noted(s.err, s.th.Bad, w)...)
	}
	lines := slices.Concat(hint, s.noted(s.sizing(), s.th.Text, w))
	if _, h := s.formSize(); h < s.formHeight()+len(lines)+4 {
		return lines
	}
	lines = append(lines, "")
	return append(lines, s.noted("A probe stops when the mean iteration time is precise enough, or at a cap. Its "+
		"result is saved and appears on Explore.", s.th.Dim, w)...)
}

// hintBelow is the hint of the field under the cursor where it has no room
// beside the value; it takes the same number of lines for every field, so that
// the form stays where it is.
func (s *Screen) hintBelow(w int) []string {
	if o, ok := s.offerAt(s.row); ok {
		return s.noted(offerHint(o), s.th.Dim, w)
	}
	if hintsBeside(w) || s.row >= len(fields) {
		return nil
	}
	lines := s.noted(fields[s.row].hintFor(s.form), s.th.Dim, w)
	for i := range fields {
		for len(lines) < len(s.noted(fields[i].hintFor(s.form), s.th.Dim, w)) {
			lines = append(lines, "")
		}
	}
	return lines
}

// noted wraps words below the form.
func (s *Screen) noted(words string, pen theme.Pen, w int) []string {
	return pen.Wrap(words, "   ", min(w, 93)+1)
}
