package exportdialog

import (
	"fmt"
	"strings"

	"sweetspot/engine/quantity"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

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
		body = " " + text.Truncate(text.Clean(d.file.Value()), max(w-2, 1), th.Symbols.Ellipsis)
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
