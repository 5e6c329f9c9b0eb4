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
	title    string
	question []string // paragraphs
	answers  []Answer
	at       int
	open     bool
}

// Ask asks; each line of the question is a paragraph. The last answer is the one that
// changes nothing and is what Back gives. The cursor begins on it.
func (d *Dialog) Ask(title, question string, answers ...Answer) {
	*d = Dialog{title: title, answers: answers, open: len(answers) > 0}
	for line := range strings.Lines(question) {
		d.question = append(d.question, text.Clean(line))
	}
	d.at = max(len(answers)-1, 0)
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
	case keys.Back, keys.Quit:
		d.at = len(d.answers) - 1
		return d.close()
	}
	return "", false
}

func (d *Dialog) close() (string, bool) {
	d.open = false
	return d.answers[d.at].ID, true
}

// View draws the dialog in a box that fits into width × height cells. What an
// answer leads to is wrapped; where that takes too many lines, only the marked
// answer says it, and the end of the question is left out.
func (d *Dialog) View(th *theme.Theme, width, height int) string {
	width = min(width, 72)
	w, h := panel.Inner(width, height)
	var lines []string
	for _, paragraph := range d.question {
		lines = append(lines, theme.Pen{}.Wrap(paragraph, " ", w)...)
	}
	whole := len(lines)
	lines = append(lines, "")
	all := d.lines(th, w, true)
	if len(lines)+len(all) > h {
		all = d.lines(th, w, false)
	}
	if room := max(h-len(all), 1); len(lines) > room {
		lines = lines[:min(room, len(lines)-1)] // the blank one is the last
		if n := len(lines); n < whole {
			lines[n-1] = text.Fit(" "+th.Symbols.Ellipsis, w)
		}
	}
	lines = append(lines, all...)
	box := panel.Panel{Title: d.title, Focused: true}
	return box.Render(th, strings.Join(lines, "\n"), width, min(height, len(lines)+2))
}

// lines draws the answers in w cells, with what all of them lead to or only the
// marked one.
func (d *Dialog) lines(th *theme.Theme, w int, all bool) []string {
	var out []string
	for i, a := range d.answers {
		if !all && i != d.at {
			a.Long = ""
		}
		out = append(out, answer(th, a, i == d.at, w)...)
	}
	return out
}

// The cells before an answer's label, and before what it leads to.
const (
	keyIndent  = 6
	longIndent = 21
	leastLong  = 24 // cells in which words are still worth wrapping
)

// answer draws an answer with what it leads to beside it, or below it where
// there is too little room.
func answer(th *theme.Theme, a Answer, here bool, w int) []string {
	mark := " "
	if here {
		mark = th.Symbols.Here
	}
	lines := []string{mark + " " + th.Key.Render(text.Fit(a.Key, 4)) + text.Fit(a.Label, longIndent-keyIndent)}
	indent := longIndent
	if w-indent < leastLong {
		indent = keyIndent
		if a.Long != "" {
			lines = append(lines, text.Spaces(indent))
		}
	}
	for i, l := range text.Wrap(a.Long, max(w-indent-1, 1)) {
		if l = th.Dim.Render(l); i > 0 {
			lines = append(lines, text.Spaces(indent)+l)
		} else {
			lines[len(lines)-1] += l
		}
	}
	for i, l := range lines {
		if lines[i] = text.Fit(l, w); here {
			lines[i] = th.Selected.Over(lines[i])
		}
	}
	return lines
}
