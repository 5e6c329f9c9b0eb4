// Package prompt asks for one line of text at the foot of the screen.
package prompt

import (
	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/line"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Question is what is asked for.
type Question struct {
	Label, Value string
	Hint         string // how it is written
	// Typed follows what is typed from key to key; left with esc it gets "".
	Typed func(value string) tea.Cmd
	// Accept gets the text when enter is pressed. An error keeps the prompt open.
	Accept func(value string) (tea.Cmd, error)
}

// Prompt is the question being asked, if any.
type Prompt struct {
	asked Question
	input line.Line
	hint  string // how it is written, or what is wrong
	wrong bool
	open  bool
}

// Ask opens the prompt with a first value.
func (p *Prompt) Ask(q Question) {
	*p = Prompt{asked: q, hint: text.Clean(q.Hint), open: true}
	p.input.Set(q.Value)
}

// Visible reports whether the prompt is open. While it is, keys are text.
func (p *Prompt) Visible() bool { return p.open }

// Value is the text so far.
func (p *Prompt) Value() string { return p.input.Value() }

// Update handles a key press or a paste.
func (p *Prompt) Update(msg tea.Msg) tea.Cmd {
	name := ""
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name = k.String()
	}
	switch name {
	case "enter":
		return p.accept()
	case "esc", "ctrl+c":
		p.open = false
		return p.typed("")
	}
	p.input.Update(msg)
	return p.typed(p.Value())
}

func (p *Prompt) typed(value string) tea.Cmd {
	if p.asked.Typed == nil {
		return nil
	}
	return p.asked.Typed(value)
}

// accept closes the prompt first: what is accepted may ask the next question.
func (p *Prompt) accept() tea.Cmd {
	p.open = false
	if p.asked.Accept == nil {
		return p.typed(p.Value())
	}
	cmd, err := p.asked.Accept(p.Value())
	if err != nil {
		p.open, p.hint, p.wrong = true, text.Clean(err.Error()), true
	}
	return cmd
}

// View draws the prompt in exactly width cells.
func (p *Prompt) View(th *theme.Theme, width int) string {
	label := th.Key.Render(" "+p.asked.Label) + " "
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

// leastInput is the least width of the text beside a hint, which is left out where
// less than leastHint remains.
const (
	leastInput = 12
	leastHint  = 12
)
