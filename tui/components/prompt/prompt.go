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
	open  bool
}

// Ask opens the prompt with a first value.
func (p *Prompt) Ask(id, label, value string) {
	p.ID, p.label, p.open = id, label, true
	p.input.Set(value)
}

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
	return text.Fit(label+p.input.View(max(width-text.Width(label)-1, 2)), width)
}
