// Package confirm asks a question with a few answers: before a probe is left,
// before a run is deleted.
package confirm

import (
	"strings"

	"sweetspot/tui/components/panel"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Answer is one of the answers.
type Answer struct {
	ID    string
	Key   string // the key that gives it at once
	Label string
	Long  string
}

// The answers to leaving while a probe runs.
const (
	StopAndSave = "stop"
	Detach      = "detach"
	Stay        = "stay"
	Yes         = "yes"
)

// Dialog is the question being asked, if any.
type Dialog struct {
	title, question string
	answers         []Answer
	at              int
	open            bool
}

// Ask asks; the last answer is the one that changes nothing and is what Back
// gives. The cursor begins on it.
func (d *Dialog) Ask(title, question string, answers ...Answer) {
	*d = Dialog{title: title, question: text.Clean(question), answers: answers, at: max(len(answers)-1, 0), open: len(answers) > 0}
}

// AskQuit asks what becomes of the probe that runs.
func (d *Dialog) AskQuit() {
	d.Ask("Quit", "A probe is running. What shall become of it?",
		Answer{StopAndSave, "s", "stop and save", "end it at the next step and keep what it measured"},
		Answer{Detach, "d", "detach", "leave it running; it ends by its own rule and is saved"},
		Answer{Stay, "esc", "stay", "go back to the screen"})
}

// AskYes asks for a yes before something that can't be undone.
func (d *Dialog) AskYes(title, question, yes string) {
	d.Ask(title, question, Answer{ID: Yes, Key: "y", Label: yes}, Answer{ID: Stay, Key: "n", Label: "no"})
}

// Visible reports whether a question is asked.
func (d *Dialog) Visible() bool { return d.open }

// Close takes the question back without an answer.
func (d *Dialog) Close() { d.open = false }

// Key handles a key press by name together with its action. When it answers
// the question, done is true and answer is the ID; the dialog is then closed.
func (d *Dialog) Key(key string, a keys.Action) (answer string, done bool) {
	if !d.open {
		return "", false
	}
	for i, x := range d.answers {
		if x.Key == key {
			d.at = i
			return d.close()
		}
	}
	switch a {
	case keys.Up, keys.Left, keys.FocusPrev:
		d.at = (d.at + len(d.answers) - 1) % len(d.answers)
	case keys.Down, keys.Right, keys.FocusNext:
		d.at = (d.at + 1) % len(d.answers)
	case keys.Enter, keys.Pin:
		return d.close()
	case keys.Back, keys.Quit, keys.Interrupt:
		d.at = len(d.answers) - 1
		return d.close()
	}
	return "", false
}

func (d *Dialog) close() (string, bool) {
	d.open = false
	return d.answers[d.at].ID, true
}

// View draws the dialog in a box that fits into width × height cells.
func (d *Dialog) View(th *theme.Theme, width, height int) string {
	width = min(width, 72)
	w, _ := panel.Inner(width, height)
	var lines []string
	for _, l := range text.Wrap(d.question, max(w-2, 1)) {
		lines = append(lines, " "+l)
	}
	lines = append(lines, "")
	for i, a := range d.answers {
		lines = append(lines, d.answer(th, a, i == d.at, w))
	}
	return panel.Panel{Title: d.title, Focused: true}.Render(th, strings.Join(lines, "\n"), width, min(height, len(lines)+2))
}

func (d *Dialog) answer(th *theme.Theme, a Answer, here bool, w int) string {
	mark := " "
	if here {
		mark = th.Symbols.Here
	}
	line := mark + " " + th.Key.Render(text.Fit(a.Key, 4)) + text.Fit(a.Label, 15)
	if a.Long != "" {
		line += th.Dim.Render(a.Long)
	}
	line = text.Fit(line, w)
	if here {
		return th.Selected.Over(line)
	}
	return line
}
