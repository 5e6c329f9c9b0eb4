// Package toast shows one message for a while. It has no clock: Show returns a
// number, which the caller expires later; a newer message is not affected by the
// expiry of an older one.
package toast

import (
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Level is how much a message matters.
type Level uint8

// The levels. Each has a sign as well as a colour.
const (
	Info Level = iota
	Good
	Warn
	Bad
)

// Toast is the message shown, if any.
type Toast struct {
	message string
	level   Level
	seq     int
}

// Show replaces the message by another one, cleaned, and returns the number to
// expire it by.
func (t *Toast) Show(level Level, message string) (seq int) {
	t.seq++
	t.level, t.message = level, text.Clean(message)
	return t.seq
}

// Expire removes the message with a number; a newer one stays.
func (t *Toast) Expire(seq int) {
	if seq == t.seq {
		t.message = ""
	}
}

// Visible reports whether there is a message.
func (t *Toast) Visible() bool { return t.message != "" }

// View draws the message in exactly width cells, blank without one.
func (t *Toast) View(th *theme.Theme, width int) string {
	if t.message == "" {
		return text.Spaces(width)
	}
	sign, pen := th.Symbols.Dot, th.Text
	switch t.level {
	case Good:
		sign, pen = th.Symbols.Check, th.Good
	case Warn:
		sign, pen = "!", th.Warn
	case Bad:
		sign, pen = th.Symbols.Cross, th.Bad
	}
	return text.Fit(" "+pen.Render(sign+" "+t.message), width)
}
