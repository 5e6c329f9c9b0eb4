package probe

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/quantity"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func (s *Screen) keyForm(a keys.Action) tea.Cmd {
	if s.typing {
		switch a {
		case keys.Enter:
			s.commit()
		case keys.Back:
			s.typing, s.err = false, ""
		}
		return nil
	}
	switch a {
	case keys.Up, keys.FocusPrev:
		s.row = max(s.row-1, 0)
	case keys.Down, keys.FocusNext:
		s.row = min(s.row+1, len(fields))
	case keys.Top, keys.PageUp:
		s.row = 0
	case keys.Bottom, keys.PageDown:
		s.row = len(fields)
	case keys.Left, keys.BigLeft:
		s.step(-1)
	case keys.Right, keys.BigRight, keys.Pin:
		s.step(1)
	case keys.ProbeThis:
		return s.start()
	case keys.Enter:
		return s.enter()
	}
	return nil
}

// enter types into a field, steps a choice or starts.
func (s *Screen) enter() tea.Cmd {
	switch {
	case s.row == len(fields):
		return s.start()
	case fields[s.row].read != nil:
		s.begin(fields[s.row].value(s.form))
	default:
		s.step(1)
	}
	return nil
}

// steps reports whether the row under the cursor has a next value.
func (s *Screen) steps() bool {
	if s.row >= len(fields) || fields[s.row].choices == nil {
		return false
	}
	several := fields[s.row].several
	return several == nil || !several(s.form)
}

func (s *Screen) step(n int) {
	if s.steps() {
		fields[s.row].choices(&s.form, n)
		s.err = ""
	}
}

// start begins the probes of the form, or has their price agreed to first.
func (s *Screen) start() tea.Cmd {
	if err := s.form.check(); err != nil {
		s.err = err.Error()
		return nil
	}
	if s.form.Rents() {
		return s.planRental()
	}
	if s.form.USDPerHour != nil {
		s.askPrice()
		return nil
	}
	return s.Begin()
}

// Begin starts the probes of the form without asking more.
func (s *Screen) Begin() tea.Cmd {
	form := s.form
	s.Reset()
	s.form, s.state, s.err = form, Starting, ""
	return s.startProbes(form.clone())
}

// startWords are what the start row does.
func (f Form) startWords() string {
	if f.Rents() {
		return "see what renting costs at most"
	}
	if f.size().probes() > 1 {
		return "start the probes"
	}
	return "start the probe"
}

// Price asks for agreement, as title and question.
func (s *Screen) Price() (title, question string) {
	usd, _ := orZero(s.form.USDPerHour, nil)
	price := quantity.Money(usd) + "/h"
	return "S" + s.form.startWords()[1:] + "?", s.form.Sizing() + " at " + price + "."
}

// AskHost begins to type where to probe.
func (s *Screen) AskHost() {
	for row := range fields {
		if fields[row].label == hostsLabel {
			s.row = row
			s.begin("user@")
		}
	}
}

func (s *Screen) begin(value string) {
	s.typing, s.err = true, ""
	s.input.Set(value)
}

// commit takes the typed text over; on an error typing goes on. What was not
// changed is not read again, which could cost it a digit.
func (s *Screen) commit() {
	f := &fields[s.row]
	if typed := s.input.Value(); typed != f.value(s.form) {
		read := f.read
		if f.label == vmLabel {
			read = func(to *Form, typed string) error { return readVM(to, s.set, typed) }
		}
		if err := read(&s.form, typed); err != nil {
			s.err = text.Clean(err.Error())
			return
		}
	}
	s.typing, s.err = false, ""
	s.row = min(s.row+1, len(fields))
}

// Click handles the mouse: on the form it moves to a line, and on the line it
// is on it does what enter does; on the table of probes it shows one.
func (s *Screen) Click(x, y int) tea.Cmd {
	switch {
	case s.state != Filling:
		s.clickCells(x, y)
		return nil
	case s.typing:
		return nil
	}
	from, below := s.formWindow()
	row := y - formTop(s.h) + from
	if _, h := s.formSize(); y < formTop(s.h) || y-formTop(s.h) >= h-len(below) || row == len(fields) ||
		row > len(fields)+1 {
		return nil // a border, a note or the blank line
	}
	row = min(row, len(fields)) // a blank line parts the start row
	if row != s.row {
		s.row = row
		return nil
	}
	return s.enter()
}

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
	w, h := s.formSize()
	var lines []string
	for i, f := range fields {
		lines = append(lines, s.formLine(i, f, w))
	}
	lines = append(lines, "", s.startLine(w))
	from, below := s.formWindow()
	lines = append(lines[from:min(from+max(h-len(below), leastFormRows), len(lines))], below...)
	if bare(s.h) {
		return text.Block(lines, w, h)
	}
	return panel.Panel{Title: "What to measure", Focused: true}.Render(s.th, strings.Join(lines, "\n"), s.w, s.h)
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
	lines := len(fields) + 2 // a blank line and the start row
	room := max(h-len(below), leastFormRows)
	if lines <= room {
		return 0, below
	}
	cursor := s.row + s.row/len(fields)
	return min(max(cursor-room/2, 0), lines-room), below
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

func (s *Screen) formLine(i int, f field, w int) string {
	th := s.th
	here := i == s.row
	mark := " "
	if here {
		mark = th.Knob.Render(th.Symbols.Here)
	}
	value := text.Clean(f.shown(s.form))
	out := f.ofModel && s.form.OfCommand() && (!here || !s.typing)
	if out {
		value = "the command's own"
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
	mark := " "
	if s.row == len(fields) {
		mark = th.Knob.Render(th.Symbols.Here)
	}
	line := text.Fit(" "+mark+" "+th.Key.Render(s.form.startWords()), w)
	if s.row == len(fields) {
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
	lines := slices.Concat(hint, s.noted(s.form.Sizing(), s.th.Text, w))
	if _, h := s.formSize(); h < len(fields)+2+len(lines)+4 {
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
