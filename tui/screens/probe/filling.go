package probe

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/quantity"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
)

func (s *Screen) keyForm(a keys.Action) tea.Cmd {
	if s.typing {
		switch a {
		case keys.Enter:
			return s.commit()
		case keys.Back:
			s.typing, s.err = false, ""
		}
		return nil
	}
	switch a {
	case keys.Up, keys.FocusPrev:
		s.row = max(s.row-1, 0)
	case keys.Down, keys.FocusNext:
		s.row = min(s.row+1, s.lastRow())
	case keys.Top, keys.PageUp:
		s.row = 0
	case keys.Bottom, keys.PageDown:
		s.row = s.startRow()
	case keys.Left, keys.BigLeft:
		return s.step(-1)
	case keys.Right, keys.BigRight:
		return s.step(1)
	case keys.Pin:
		if o, ok := s.offerAt(s.row); ok {
			s.toggleGPU(o)
			return nil
		}
		return s.step(1)
	case keys.ProbeThis:
		return s.start()
	case keys.Enter:
		return s.enter()
	}
	return nil
}

// enter types into a field, steps a choice or starts.
func (s *Screen) enter() tea.Cmd {
	if o, ok := s.offerAt(s.row); ok {
		s.toggleGPU(o)
		return nil
	}
	switch start := s.startRow(); {
	case s.row > start:
		return s.attach(s.goesOn[s.row-start-1])
	case s.row == start:
		return s.start()
	case fields[s.row].read != nil:
		s.begin(fields[s.row].value(s.form))
		return nil
	}
	return s.step(1)
}

// steps reports whether the row under the cursor has a next value.
func (s *Screen) steps() bool {
	if s.row >= len(fields) || fields[s.row].choices == nil {
		return false
	}
	several := fields[s.row].several
	return several == nil || !several(s.form)
}

// isField reports whether the field of that label is under the cursor.
func (s *Screen) isField(label string) bool {
	return s.row < len(fields) && fields[s.row].label == label
}

func (s *Screen) step(n int) tea.Cmd {
	if o, ok := s.offerAt(s.row); ok {
		s.stepGPU(o, n)
		return nil
	}
	if !s.steps() {
		return nil
	}
	s.err = ""
	if s.isField(whereLabel) {
		s.stepWhere(n)
		return s.askOffers(false)
	}
	fields[s.row].choices(&s.form, n)
	return nil
}

// start begins the probes of the form, or has their price agreed to first.
func (s *Screen) start() tea.Cmd {
	if err := cmp.Or(s.checkQueue(), s.form.check()); err != nil {
		s.err = err.Error()
		return nil
	}
	switch {
	case s.form.Rents():
		return s.planRental()
	case s.form.IsQueued():
		return s.planQueued()
	case s.form.USDPerHour != nil:
		s.askPrice("")
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
	title, question = "S"+s.form.startWords()[1:]+"?", s.sizing()
	if usd := s.form.USDPerHour; usd != nil && !s.form.IsQueued() {
		question += " at " + quantity.Money(*usd) + "/h"
	}
	return title, question + "."
}

// AskHost begins to type where to probe.
func (s *Screen) AskHost() {
	for row := range fields {
		if fields[row].label == whereLabel {
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
func (s *Screen) commit() tea.Cmd {
	f := &fields[s.row]
	if typed := s.input.Value(); typed != f.value(s.form) {
		read := f.read
		switch f.label {
		case vmLabel:
			read = func(to *Form, typed string) error { return readVM(to, s.set, typed) }
		case whereLabel:
			read = func(to *Form, typed string) error { return readWhere(to, s.queueNames(), typed) }
		}
		if err := read(&s.form, typed); err != nil {
			s.err = text.Clean(err.Error())
			return nil
		}
	}
	s.typing, s.err = false, ""
	s.row++
	return s.askOffers(false)
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
	w, h := s.formSize()
	line := y - formTop(s.h)
	if line < 0 || line >= h-len(below) {
		return nil // a border or a note
	}
	lines := s.formLines(w)
	if line += from; line >= len(lines) || lines[line].row < 0 {
		return nil // a blank line or a heading
	}
	if row := lines[line].row; row != s.row {
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

// formHeight is the number of the form's lines.
func (s *Screen) formHeight() int {
	n := len(fields) + 2 + len(s.goesOn) // a blank line and the start row
	if s.form.IsQueued() {
		n += 2 + len(s.offers())
	}
	return n
}

// bare reports whether there is no room for a border around the form.
func bare(h int) bool { return h < len(fields)+6 }
