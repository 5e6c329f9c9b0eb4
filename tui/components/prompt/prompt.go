// Package prompt asks for one line of text at the foot of the screen.
package prompt

import (
	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/line"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Outcome is what a key press led to.
type Outcome int

// The outcomes.
const (
	Open      Outcome = iota // still typing
	Accepted                 // enter
	Cancelled                // esc
)

// Prompt is the question being asked, if any.
type Prompt struct {
	ID    string // whose answer it is
	label string
	input line.Line
	hint  string // how it is written, or what is wrong
	wrong bool
	open  bool
}

// Ask opens the prompt with a first value.
func (p *Prompt) Ask(id, label, value string) {
	*p = Prompt{ID: id, label: label, open: true}
	p.input.Set(value)
}

// Hint says behind the text how it is written.
func (p *Prompt) Hint(words string) { p.hint, p.wrong = text.Clean(words), false }

// Refuse opens the prompt again with the value that was not taken, and says why.
func (p *Prompt) Refuse(why string) { p.open, p.hint, p.wrong = true, text.Clean(why), true }

// Visible reports whether the prompt is open. While it is, keys are text.
func (p *Prompt) Visible() bool { return p.open }

// Value is the text so far.
func (p *Prompt) Value() string { return p.input.Value() }

// Close closes the prompt.
func (p *Prompt) Close() { p.open = false }

// Update handles a key press or a paste.
func (p *Prompt) Update(msg tea.Msg) Outcome {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "enter":
			p.open = false
			return Accepted
		case "esc", "ctrl+c":
			p.open = false
			return Cancelled
		}
	}
	p.input.Update(msg)
	return Open
}

// View draws the prompt in exactly width cells.
func (p *Prompt) View(th *theme.Theme, width int) string {
	label := th.Key.Render(" "+p.label) + " "
	room := width - text.Width(label) - 1
	own := min(max(text.Width(p.Value())+2, leastInput), room)
	if p.wrong { // what is wrong matters more than what was typed
		own = min(own, max(room/3, leastInput))
	}
	if p.hint == "" || room-own < leastHint {
		return text.Fit(label+p.input.View(max(room, 2)), width)
	}
	pen := th.Dim
	if p.wrong {
		pen = th.Bad
	}
	return text.Fit(label+p.input.View(own)+" "+pen.Render(text.Truncate(p.hint, room-own-1, th.Symbols.Ellipsis)), width)
}

// leastInput is the room in cells that the text has at least beside a hint, which
// is left out where less than leastHint remains.
const (
	leastInput = 12
	leastHint  = 12
)
