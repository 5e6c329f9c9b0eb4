package probe

import (
	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/tui/keys"
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
	case fields[s.row].value != nil:
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
	if f.size().probes() > 1 {
		return "start the probes"
	}
	return "start the probe"
}

// Price asks for agreement, as title and question.
func (s *Screen) Price() (title, question string) {
	price := quantity.Money(orZero(s.form.USDPerHour)) + "/h"
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
		if err := f.read(&s.form, typed); err != nil {
			s.err = plaintext.Clean(err.Error())
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
