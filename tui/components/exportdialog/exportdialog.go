// Package exportdialog chooses the form that something is written in, and shows
// what would be written. Texts are made and files written in commands of the
// caller's.
package exportdialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/document"
	"sweetspot/tui/components/line"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
)

// part is what has the keys.
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
	asked   []bool    // a preview has been
	seq     int       // of the opening, which late previews are told by
	at, top int       // the form under the cursor; the first row drawn
	scroll  int       // first line of the preview
	page    int       // lines of the preview, as last drawn
	focus   part
	file    line.Line
	open    bool
	writing bool   // a file is being written
	last    string // the form written last
}

// Preview is what would be written.
type Preview struct {
	seq, at int
	lines   []string
	bytes   int
	why     string // no text could be made
	ready   bool
}

// Event is what a key asks the caller to do.
type Event int

// The events. Show asks for the preview of [Dialog.Document].
const (
	None Event = iota
	Show
	Write
	Copy
)

// Open opens the dialog on the documents of a subject; the cursor begins on the
// form that was written last.
func (d *Dialog) Open(subject string, docs []document.Document) Event {
	*d = Dialog{subject: text.Clean(subject), docs: docs, shown: make([]Preview, len(docs)), asked: make([]bool, len(docs)), seq: d.seq + 1, open: len(docs) > 0, last: d.last}
	for i, doc := range docs {
		if form(doc) == d.last && doc.Why == nil {
			d.at = i
		}
	}
	if d.open {
		d.file.Set(docs[d.at].Name)
	}
	return d.show()
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

// Rename gives the keys to the file name, after one that could not be written.
func (d *Dialog) Rename() { d.focus, d.writing = name, false }

// Wrote remembers the form and closes the dialog.
func (d *Dialog) Wrote() {
	if d.open && d.writing {
		d.last, d.open = form(d.Document()), false
	}
}

// form tells a form from the others.
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
		return d.vertical(-1)
	case keys.Down:
		return d.vertical(1)
	case keys.Top:
		return d.vertical(-len(d.docs) - len(d.shown[d.at].lines))
	case keys.Bottom:
		return d.vertical(len(d.docs) + len(d.shown[d.at].lines))
	}
	return None
}

// turn goes on to another part; what cannot be written needs no name.
func (d *Dialog) turn(by part) {
	d.focus = (d.focus + by) % parts
	if d.focus == name && d.Document().Why != nil {
		d.focus = (d.focus + by) % parts
	}
}

// Press handles a key while the file name is typed.
func (d *Dialog) Press(msg tea.KeyPressMsg) Event {
	switch msg.String() {
	case "enter":
		return d.Key(keys.Enter)
	case "esc":
		return d.Key(keys.Back)
	case "tab":
		return d.Key(keys.FocusNext)
	case "shift+tab":
		return d.Key(keys.FocusPrev)
	case "pgup":
		return d.Key(keys.PageUp)
	case "pgdown":
		return d.Key(keys.PageDown)
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

func (d *Dialog) vertical(step int) Event {
	if d.focus == preview {
		d.Scroll(step)
		return None
	}
	return d.move(min(max(d.at+step, 0), len(d.docs)-1))
}

// move goes to another form. A name that was typed stays, with the extension of
// the form.
func (d *Dialog) move(to int) Event {
	from := d.docs[d.at]
	if d.writing {
		return None
	}
	d.at, d.scroll = to, 0
	now := d.docs[to]
	if typed := d.file.Value(); typed == from.Name {
		d.file.Set(now.Name)
	} else if stem, ok := strings.CutSuffix(typed, from.Extension); ok && stem != "" {
		d.file.Set(stem + now.Extension)
	}
	return d.show()
}

// Scroll moves the preview by lines.
func (d *Dialog) Scroll(lines int) {
	d.scroll = max(min(d.scroll+lines, len(d.shown[d.at].lines)-d.page), 0)
}

func (d *Dialog) show() Event {
	if !d.open || d.asked[d.at] || d.docs[d.at].Why != nil {
		return None
	}
	d.asked[d.at] = true
	return Show
}

// longest is the most lines that a preview shows.
const longest = 10_000

// Previewer returns the function that makes the preview of the form under the
// cursor; it touches nothing of the dialog.
func (d *Dialog) Previewer() func() Preview {
	doc, p := d.Document(), Preview{seq: d.seq, at: d.at, ready: true}
	return func() Preview {
		make := doc.Text
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

// SetPreview takes over what was made; of an earlier opening it is dropped.
func (d *Dialog) SetPreview(p Preview) {
	if d.open && p.seq == d.seq {
		d.shown[p.at] = p
	}
}
