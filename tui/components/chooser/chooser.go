// Package chooser picks one or several of many names: what is typed narrows them.
package chooser

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Choice is a line to choose.
type Choice struct {
	Values []string // what choosing it means
	Label  string
	Note   string // at the end of the line
	On     bool   // it is what holds now
	Always bool   // it stays first while something is typed
}

// Question is what is to be chosen.
type Question struct {
	Title   string
	Choices []Choice
	Several bool // space marks choices, and enter takes all that are marked
}

// Among are the choices between names, of which one holds now, above them the one that
// comes after it. label is what a name is called.
func Among(names []string, now string, label func(name string) string) (out []Choice) {
	for _, n := range names {
		out = append(out, Choice{Values: []string{n}, Label: label(n), On: n == now})
	}
	if at := slices.Index(names, now); len(names) > 1 {
		next := names[(at+1)%len(names)]
		out = slices.Insert(out, 0, Choice{Values: []string{next}, Label: "next: " + label(next), Always: true})
	}
	return out
}

// Chooser is the dialog.
type Chooser struct {
	asked  Question
	search []string // lower-case labels
	marked []bool
	shown  []int // choices that match what is typed
	typed  string
	at     int // of shown
	top    int
	lines  int // choices visible as last drawn
	open   bool
}

// Ask opens the dialog.
func (c *Chooser) Ask(q Question) {
	*c = Chooser{asked: q, open: len(q.Choices) > 0, marked: make([]bool, len(q.Choices))}
	c.search = make([]string, len(q.Choices))
	for i := range q.Choices {
		c.asked.Choices[i].Label, c.asked.Choices[i].Note = text.Clean(q.Choices[i].Label), text.Clean(q.Choices[i].Note)
		c.search[i] = strings.ToLower(c.asked.Choices[i].Label)
	}
	c.match()
}

// Visible reports whether the dialog is open. While it is, keys are text.
func (c *Chooser) Visible() bool { return c.open }

// Close closes the dialog without a choice.
func (c *Chooser) Close() { c.open = false }

// Key handles a key press by name, with the text it typed, if any. Where it chooses,
// done is true and values are what was chosen; the dialog is then closed.
func (c *Chooser) Key(key, typed string) (values []string, done bool) {
	page, all := max(c.lines, 1), len(c.shown)
	steps := map[string]int{"up": -1, "down": 1, "pgup": -page, "pgdown": page, "home": -all, "end": all}
	if n, moves := steps[key]; moves {
		c.at = min(max(c.at+n, 0), max(all-1, 0))
		return nil, false
	}
	switch key {
	case "esc", "ctrl+c":
		c.open = false
	case "enter":
		return c.enter()
	case "backspace":
		if r := []rune(c.typed); len(r) > 0 {
			c.typed = string(r[:len(r)-1])
			c.match()
		}
	case "ctrl+u":
		c.typed = ""
		c.match()
	case "space":
		if c.asked.Several {
			c.mark()
		} else {
			c.Type(" ")
		}
	default:
		c.Type(typed)
	}
	return nil, false
}

// longest bounds what is typed, in bytes.
const longest = 200

// Type adds to what is looked for.
func (c *Chooser) Type(s string) {
	if s = text.Clean(s); s != "" && len(c.typed)+len(s) <= longest {
		c.typed += s
		c.match()
	}
}

// mark marks the choice under the cursor, or takes its mark away.
func (c *Chooser) mark() {
	if c.at < len(c.shown) && !c.asked.Choices[c.shown[c.at]].Always {
		c.marked[c.shown[c.at]] = !c.marked[c.shown[c.at]]
	}
}

// enter takes what is marked, or the choice under the cursor where nothing is.
func (c *Chooser) enter() (values []string, done bool) {
	for i, marked := range c.marked {
		if marked {
			values = append(values, c.asked.Choices[i].Values...)
		}
	}
	if len(values) == 0 {
		if c.at >= len(c.shown) {
			return nil, false
		}
		values = c.asked.Choices[c.shown[c.at]].Values
	}
	c.open = false
	return values, true
}

// match keeps the choices in whose label every word of what is typed occurs; those that
// begin with it come first.
func (c *Chooser) match() {
	c.shown, c.at, c.top = c.shown[:0], 0, 0
	typed := strings.ToLower(c.typed)
	words := strings.Fields(typed)
	for i := range c.search {
		if len(words) > 0 && c.asked.Choices[i].Always {
			continue
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(c.search[i], w) }) {
			c.shown = append(c.shown, i)
		}
	}
	if len(words) == 0 {
		return
	}
	begins := func(i int) int {
		if strings.HasPrefix(c.search[i], typed) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.shown, func(a, b int) int { return cmp.Compare(begins(a), begins(b)) })
}

// View draws the dialog in a box that fits into width × height cells.
func (c *Chooser) View(th *theme.Theme, width, height int) string {
	width, height = min(width, 72), min(height, 22, len(c.asked.Choices)+4)
	w, h := panel.Inner(width, height)
	lines := []string{
		" " + th.Dim.Render("search ") + th.Key.Render(text.Truncate(c.typed, w-10, "")) + th.Cursor.Render(" "),
		" " + th.Dim.Render(c.hint()),
	}
	c.lines = max(h-len(lines), 0)
	c.top = max(min(c.top, c.at), c.at-c.lines+1, 0)
	for k := c.top; k < min(c.top+c.lines, len(c.shown)); k++ {
		lines = append(lines, c.line(th, c.shown[k], k == c.at, w))
	}
	box := panel.Panel{Title: c.asked.Title, Note: c.count(), Focused: true}
	return box.Render(th, strings.Join(lines, "\n"), width, height)
}

func (c *Chooser) hint() string {
	switch {
	case len(c.shown) == 0:
		return "nothing matches: backspace, or esc"
	case c.asked.Several:
		return "type to search, enter takes one, space marks several"
	}
	return "type to search, enter takes it, esc leaves all as it is"
}

// count is how many there are, and of them match.
func (c *Chooser) count() string {
	all, shown := 0, 0
	for i := range c.asked.Choices {
		if !c.asked.Choices[i].Always {
			all++
		}
	}
	for _, i := range c.shown {
		if !c.asked.Choices[i].Always {
			shown++
		}
	}
	if shown == all {
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d of %d", shown, all)
}

// leastNote is the least room in which part of a note says anything, in cells.
const leastNote = 8

func (c *Chooser) line(th *theme.Theme, i int, here bool, w int) string {
	choice, mark, on := &c.asked.Choices[i], " ", " "
	if here {
		mark = th.Symbols.Here
	}
	switch {
	case c.marked[i]:
		on = th.Symbols.Check
	case choice.On:
		on = th.Symbols.Dot
	}
	label := choice.Label
	if choice.Always {
		label = th.Key.Render(label)
	}
	line := mark + " " + text.Fit(on, text.Width(th.Symbols.Check)) + " " + label
	note := choice.Note
	if room := w - text.Width(line) - 2; text.Width(note) > room { // the note gives way to the label
		note = text.Truncate(note, room, th.Symbols.Ellipsis)
		if room < leastNote {
			note = ""
		}
	}
	if note != "" {
		note = th.Dim.Render(note) + " "
	}
	line = text.Ends(line, note, w)
	if here {
		return th.Selected.Over(line)
	}
	return line
}
