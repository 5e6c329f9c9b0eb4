// Package helpoverlay explains a panel and lists all keys, in a box that scrolls.
package helpoverlay

import (
	"sweetspot/tui/components/panel"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Overlay is the help screen.
type Overlay struct {
	open bool
	top  int
	most int // the last line that may be on top, as last drawn
}

// Open shows the help from its beginning.
func (o *Overlay) Open() { o.open, o.top = true, 0 }

// Visible reports whether the help is shown.
func (o *Overlay) Visible() bool { return o.open }

// Key handles an action while the help is shown: movement scrolls, everything
// else closes it.
func (o *Overlay) Key(a keys.Action) {
	switch a {
	case keys.Up:
		o.top--
	case keys.Down:
		o.top++
	case keys.PageUp, keys.BigLeft:
		o.top -= page
	case keys.PageDown, keys.BigRight:
		o.top += page
	case keys.Top:
		o.top = 0
	case keys.Bottom:
		o.top = o.most
	default:
		o.open = false
	}
	o.top = min(max(o.top, 0), o.most)
}

const page = 10

// widest is the width beyond which the help gets no easier to read.
const widest = 136

// View draws the help in a box that fits into width × height cells.
//
//nolint:revive // what it shows, how and where
func (o *Overlay) View(th *theme.Theme, table *keys.Table, region string, disabled keys.Disabled, width,
	height int) string {
	width = min(width, widest)
	w, h := panel.Inner(width, height)
	lines := table.HelpLines(th, region, max(w-2, 0), disabled)
	height = min(height, len(lines)+2)
	h = min(h, len(lines))
	o.most = max(len(lines)-h, 0)
	o.top = min(o.top, o.most)
	body := ""
	for i, l := range lines[o.top:min(o.top+h, len(lines))] {
		if i > 0 {
			body += "\n"
		}
		body += " " + l
	}
	note := "any key closes"
	if o.most > 0 {
		note = "scroll with the arrows " + th.Symbols.Dot + " " + note
	}
	box := panel.Panel{Title: "Help", Note: note, Focused: true}
	return box.Render(th, text.Block(text.Lines(body), w, h), width, height)
}
