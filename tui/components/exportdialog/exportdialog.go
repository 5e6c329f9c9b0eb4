// Package exportdialog lets the user choose an export format and preview the
// result. The caller writes the file.
package exportdialog

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/document"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/line"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// part is a part of the dialog that can have the keyboard focus.
type part int

const (
	forms part = iota
	preview
	name
	parts
)

// Dialog is the dialog, if it is open.
type Dialog struct {
	subject string // what is written, in words
	docs    []document.Document
	shown   []Preview // of each document; zero until it is made
	making  ask.Loop[Preview]
	at, top int // the form under the cursor; the first row drawn
	scroll  int // first line of the preview
	page    int // lines of the preview, as last drawn
	focus   part
	file    line.Line
	open    bool
	writing bool   // a file is being written
	last    string // the form written last
}

// Preview is what would be written.
type Preview struct {
	at    int // whose it is
	lines []string
	bytes int
	why   string // no text could be made
	ready bool
}

// Event is what a key asks the caller to do.
type Event int

// The events.
const (
	None Event = iota
	Write
	Copy
)

// Open opens the dialog on the documents of a subject; the cursor begins on the
// form that was written last.
func (d *Dialog) Open(subject string, docs []document.Document) {
	d.making.Forget()
	*d = Dialog{subject: text.Clean(subject), docs: docs, shown: make([]Preview, len(docs)), making: d.making,
		open: len(docs) > 0, last: d.last}
	for i, doc := range docs {
		if form(doc) == d.last && doc.Why == nil {
			d.at = i
		}
	}
	if d.open {
		d.file.Set(docs[d.at].Name)
	}
}

// Visible reports whether the dialog is open.
func (d *Dialog) Visible() bool { return d.open }

// Close closes the dialog.
func (d *Dialog) Close() { d.open = false }

// Typing reports whether letters go to the file name.
func (d *Dialog) Typing() bool { return d.open && d.focus == name }

// Document is the form under the cursor.
func (d *Dialog) Document() document.Document { return d.docs[d.at] }

// File is the name to write to.
func (d *Dialog) File() string { return strings.TrimSpace(d.file.Value()) }

// Region names where keys act, for the table of keys.
func (d *Dialog) Region() string {
	return [...]string{keys.InExportForms, keys.InExportPreview, keys.InExportName}[d.focus]
}

// Rename moves the focus to the file name, after a file could not be written.
func (d *Dialog) Rename() { d.focus, d.writing = name, false }

// Stay keeps the dialog as it is, after what was asked for may not be written.
func (d *Dialog) Stay() { d.writing = false }

// Wrote remembers the form and closes the dialog.
func (d *Dialog) Wrote() {
	if d.open && d.writing {
		d.last, d.open = form(d.Document()), false
	}
}

// form identifies a format.
func form(doc document.Document) string { return doc.Group + " " + doc.Title }

// Key handles an action of the table of keys.
func (d *Dialog) Key(a keys.Action) Event {
	switch a {
	case keys.Back:
		d.open = false
	case keys.FocusNext:
		d.turn(1)
	case keys.FocusPrev:
		d.turn(parts - 1)
	case keys.Enter:
		return d.write()
	case keys.Copy:
		return Copy
	case keys.PageUp:
		d.Scroll(-d.page)
	case keys.PageDown:
		d.Scroll(d.page)
	case keys.Up:
		d.vertical(-1)
	case keys.Down:
		d.vertical(1)
	case keys.Top:
		d.vertical(-len(d.docs) - len(d.shown[d.at].lines))
	case keys.Bottom:
		d.vertical(len(d.docs) + len(d.shown[d.at].lines))
	}
	return None
}

// turn moves the focus to another part. What can't be written needs no name.
func (d *Dialog) turn(by part) {
	d.focus = (d.focus + by) % parts
	if d.focus == name && d.Document().Why != nil {
		d.focus = (d.focus + by) % parts
	}
}

// whileTyping are the keys that keep their action while the file name is typed.
var whileTyping = map[string]keys.Action{"enter": keys.Enter, "esc": keys.Back, "tab": keys.FocusNext,
	"shift+tab": keys.FocusPrev, "pgup": keys.PageUp, "pgdown": keys.PageDown}

// Press handles a key while the file name is typed.
func (d *Dialog) Press(msg tea.KeyPressMsg) Event {
	if action, ok := whileTyping[msg.String()]; ok {
		return d.Key(action)
	}
	d.file.Update(msg)
	return None
}

// Type puts pasted text into the file name.
func (d *Dialog) Type(s string) {
	if d.Typing() {
		d.file.Type(s)
	}
}

// write asks for the file once, however often the key is pressed meanwhile.
func (d *Dialog) write() Event {
	switch {
	case d.writing:
		return None
	case d.Document().Why == nil && d.File() == "":
		d.focus = name
		return None
	}
	d.writing = d.Document().Why == nil
	return Write
}

func (d *Dialog) vertical(step int) {
	if d.focus == preview {
		d.Scroll(step)
		return
	}
	d.move(min(max(d.at+step, 0), len(d.docs)-1))
}

// move goes to another format. A typed name stays, with the extension of the new
// format.
func (d *Dialog) move(to int) {
	from := d.docs[d.at]
	if d.writing {
		return
	}
	d.at, d.scroll = to, 0
	now := d.docs[to]
	if typed := d.file.Value(); typed == from.Name {
		d.file.Set(now.Name)
	} else if stem, ok := strings.CutSuffix(typed, from.Extension); ok && stem != "" {
		d.file.Set(stem + now.Extension)
	}
}

// Scroll moves the preview by lines.
func (d *Dialog) Scroll(lines int) {
	d.scroll = max(min(d.scroll+lines, len(d.shown[d.at].lines)-d.page), 0)
}

// Preview returns the command that makes the preview of the form under the
// cursor, nil where it is made or being made.
func (d *Dialog) Preview(ctx context.Context) tea.Cmd {
	if !d.open || d.shown[d.at].ready || d.Document().Why != nil {
		return nil
	}
	return d.making.Ask(ctx, previewer(d.at, d.Document()))
}

// Receive takes over a preview, and returns the command for the one that is
// needed next, if any.
func (d *Dialog) Receive(ctx context.Context, msg tea.Msg) tea.Cmd {
	p, _, ok := d.making.Receive(msg)
	if !ok || !d.open {
		return nil
	}
	d.shown[p.at] = p
	return d.Preview(ctx)
}

// longest is the most lines that a preview shows.
const longest = 10_000

// previewer makes the preview of form number at.
func previewer(at int, doc document.Document) ask.Work[Preview] {
	return func(context.Context) Preview {
		p, make := Preview{at: at, ready: true}, doc.Text
		if doc.Outline != nil {
			make = doc.Outline
		}
		made, err := make()
		if err != nil {
			p.why = text.Clean(err.Error())
			return p
		}
		p.lines, p.bytes = plainLines(made), len(made)
		if doc.Outline != nil {
			p.bytes = 0
		}
		return p
	}
}

// plainLines are the lines of a text as a terminal may draw them.
func plainLines(s string) []string {
	lines := text.Lines(strings.TrimSuffix(s, "\n"))
	more := len(lines) - longest
	lines = lines[:min(len(lines), longest)]
	for i, l := range lines {
		lines[i] = text.Clean(strings.ReplaceAll(l, "\t", "    "))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more lines", more))
	}
	return lines
}

// Sizes in cells.
const (
	formsWidth = 28
	sideBySide = 64  // from this width on, forms and preview are both shown
	widest     = 130 // wider is no easier to read
	tallest    = 44
	nameRows   = 3
)

// View draws the dialog in a box that fits into width × height cells: the forms,
// the preview beside or in place of them, and the file name below.
func (d *Dialog) View(th *theme.Theme, width, height int) string {
	width, height = min(width, widest), min(height, tallest)
	upper := max(height-nameRows, 0)
	body := ""
	switch {
	case width >= sideBySide:
		body = text.Beside(d.forms(th, formsWidth, upper), d.preview(th, width-formsWidth, upper))
	case d.focus == preview:
		body = d.preview(th, width, upper)
	default:
		d.page = max(upper-2, 1)
		body = d.forms(th, width, upper)
	}
	return body + "\n" + d.nameLine(th, width, min(nameRows, height))
}

// forms draws the list, a heading before every group.
func (d *Dialog) forms(th *theme.Theme, width, height int) string {
	w, h := panel.Inner(width, height)
	var lines []string
	here, group := 0, ""
	for i, doc := range d.docs {
		if doc.Group != group {
			group = doc.Group
			lines = append(lines, " "+th.Title.Render(group))
		}
		if i == d.at {
			here = len(lines)
		}
		lines = append(lines, d.row(th, i, w))
	}
	d.top = max(min(d.top, here, len(lines)-h), here-h+1, 0)
	if here == 1 {
		d.top = 0 // with the first heading
	}
	lines = lines[min(d.top, len(lines)):]
	box := panel.Panel{Title: "Export", Note: d.subject, Focused: d.focus == forms}
	return box.Render(th, strings.Join(lines, "\n"), width, height)
}

func (d *Dialog) row(th *theme.Theme, i, w int) string {
	doc := d.docs[i]
	mark, pen, at := " ", th.Text, doc.Extension
	if doc.Why != nil {
		pen, at = th.Faint, th.Symbols.Cross
	}
	if i == d.at {
		mark = th.Symbols.Here
	}
	l := text.Ends(" "+mark+" "+pen.Render(doc.Title), th.Faint.Render(at)+" ", w)
	if i == d.at {
		return th.Selected.Over(l)
	}
	return l
}

// preview draws what would be written, or why nothing would be.
func (d *Dialog) preview(th *theme.Theme, width, height int) string {
	w, h := panel.Inner(width, height)
	d.page = max(h, 1)
	doc, p := d.docs[d.at], d.shown[d.at]
	title, note := doc.Title, ""
	if width < sideBySide && d.focus == preview {
		title = doc.Group + ": " + title
	}
	var lines []string
	switch {
	case doc.Why != nil:
		lines = th.Warn.Wrap(text.Clean(doc.Why.Error())+".", " ", w)
	case p.why != "":
		lines = th.Bad.Wrap(p.why+".", " ", w)
	case !p.ready:
		lines = []string{" " + th.Dim.Render("writing"+th.Symbols.Ellipsis)}
	default:
		d.Scroll(0) // the room may have grown
		for _, l := range p.lines[d.scroll:min(d.scroll+h, len(p.lines))] {
			lines = append(lines, " "+text.Truncate(l, w-2, th.Symbols.Ellipsis))
		}
		note = d.note(p)
	}
	box := panel.Panel{Title: title, Note: note, Focused: d.focus == preview}
	return box.Render(th, strings.Join(lines, "\n"), width, height)
}

// note says how long the text is and where in it the preview stands.
func (d *Dialog) note(p Preview) string {
	last := min(d.scroll+d.page, len(p.lines))
	where := quantity.Several(len(p.lines), "line")
	if len(p.lines) > d.page {
		where = fmt.Sprintf("lines %d to %d of %d", d.scroll+1, last, len(p.lines))
	}
	if p.bytes == 0 {
		return "what is in it, " + where
	}
	return quantity.Several(p.bytes, "byte") + ", " + where
}

func (d *Dialog) nameLine(th *theme.Theme, width, height int) string {
	w, _ := panel.Inner(width, height)
	body := " " + th.Faint.Render("cannot be written in this format")
	switch {
	case d.docs[d.at].Why != nil:
	case d.focus == name:
		body = " " + d.file.View(max(w-2, 2))
	default:
		body = " " + text.Truncate(d.file.Value(), max(w-2, 1), th.Symbols.Ellipsis)
	}
	note := ""
	if width < sideBySide || d.focus == name { // the footer has no room to say it
		note = [...]string{"tab shows the text", "tab goes to the name", "tab goes to the formats"}[d.focus]
		if d.focus == preview && d.docs[d.at].Why != nil {
			note = "tab goes to the formats"
		}
	}
	return panel.Panel{Title: "file", Note: note, Focused: d.focus == name}.Render(th, body, width, height)
}
