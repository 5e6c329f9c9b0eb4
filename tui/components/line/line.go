// Package line is a line of text being typed: its cursor moves, and what is
// longer than its room scrolls.
package line

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/text"
)

// longest bounds what is typed or pasted, in characters.
const longest = 4096

// Line is the text. The zero Line is empty and takes no keys before [Line.Set].
type Line struct{ input textinput.Model }

// Set begins with a value, the cursor behind it.
func (l *Line) Set(value string) {
	l.input = textinput.New()
	l.input.Prompt = ""
	l.input.CharLimit = longest
	l.input.SetVirtualCursor(true)
	l.input.SetValue(text.Clean(value))
	l.input.CursorEnd()
	l.input.Focus()
}

// Value is the text so far.
func (l *Line) Value() string { return text.Clean(l.input.Value()) }

// Update handles a key press or a paste: the usual keys of a shell's line move
// and erase, ctrl+u empties what is before the cursor.
func (l *Line) Update(msg tea.Msg) {
	last := l.input.Position() == len([]rune(l.input.Value()))-1
	if k, ok := msg.(tea.KeyPressMsg); ok && last && key.Matches(k, l.input.KeyMap.DeleteWordForward) {
		msg = tea.KeyPressMsg{Code: tea.KeyDelete} // of the last character the input panics
	}
	// The input's only command is a blinking cursor, which is left out: over a
	// slow connection an idle screen sends nothing.
	l.input, _ = l.input.Update(msg)
}

// Type puts text in at the cursor.
func (l *Line) Type(s string) { l.Update(tea.PasteMsg{Content: text.Clean(s)}) }

// View draws the text around the cursor in exactly width cells.
func (l *Line) View(width int) string {
	if width < 2 {
		return text.Spaces(width)
	}
	l.input.SetWidth(width - 1)           // the cursor takes one more
	l.input.SetCursor(l.input.Position()) // scrolls to it
	return text.Fit(l.input.View(), width)
}
