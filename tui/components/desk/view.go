package desk

import (
	"slices"
	"strings"

	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Layout places the panes of a desk: sliders and two charts above the table, two
// charts and words below it. A pane of no size is not on screen.
type Layout struct{ Sliders, First, Second, Table, Third, Fourth, Words panel.Box }

// Below is the layout with something of so many rows above it.
func (l Layout) Below(rows int) Layout {
	for _, b := range []*panel.Box{&l.Sliders, &l.First, &l.Second, &l.Table, &l.Third, &l.Fourth, &l.Words} {
		b.Y += rows
	}
	return l
}

// Sizes at which a desk changes its layout, in cells.
const (
	WideWidth    = 120
	NarrowWidth  = 80
	NarrowRows   = 18 // of the screen's own; header and footer take two more
	SlidersWidth = 37
)

// chartShare is how much of the lower row each of its charts has, in percent; words
// need more.
const chartShare = 30

// tallRows is from where on the upper charts grow too.
const tallRows = 42

// newLayout places everything on w × h cells around a table of so many rows, header and
// border included; the first chart has share percent of the room beside the sliders.
func newLayout(w, h, sliders, table, share int) (l Layout) {
	if w < NarrowWidth || h < NarrowRows {
		return SmallLayout(w, h)
	}
	top := sliders*slider.Height + 2 + max(h-tallRows, 0)/2
	bottom := h - top - table
	if bottom < 5 { // no room below: the charts give way to the table
		top, bottom = h-table, 0
	}
	l.Sliders = panel.Box{W: SlidersWidth, H: top}
	l.First = panel.Box{X: SlidersWidth, W: w - SlidersWidth, H: top}
	if w >= WideWidth {
		l.First, l.Second = l.First.Split(l.First.W * share / 100)
	}
	l.Table = panel.Box{Y: top, W: w, H: table}
	if bottom == 0 {
		return l
	}
	l.Words = panel.Box{Y: top + table, W: w, H: bottom}
	if w >= WideWidth && bottom >= 8 {
		l.Third, l.Words = l.Words.Split(w * chartShare / 100)
		l.Fourth, l.Words = l.Words.Split(w * chartShare / 100)
	}
	return l
}

// SmallLayout gives the table most of the cells: a slider or two above it.
func SmallLayout(w, h int) (l Layout) {
	rows := 2 * slider.Height
	if h < 12 {
		rows = slider.Height
	}
	l.Sliders = panel.Box{W: w, H: min(rows, h), Bare: true}
	l.Table = panel.Box{Y: l.Sliders.H, W: w, H: h - l.Sliders.H, Bare: true}
	return l
}

// tallHead is from where on the head takes two lines.
const tallHead = 28

// headRows are the lines above the panes, on w × h cells.
func headRows(w, h int) int {
	switch {
	case w < NarrowWidth || h < NarrowRows+1:
		return 0
	case h < tallHead:
		return 1
	}
	return 2
}

// fit are as many of the sentences, from the first on, as have room in so many lines of
// w cells. Where the first alone has none it ends at a semicolon, or is cut; lines
// without words are empty.
func fit(sentences []string, w, rows int) []string {
	lines := make([]string, rows)
	for n := len(sentences); n > 0 && rows > 0; n-- {
		wrapped := text.Wrap(text.Clean(strings.Join(sentences[:n], " ")), w)
		if whole, _, more := strings.Cut(sentences[0], "; "); len(wrapped) > rows && n == 1 && more {
			wrapped = text.Wrap(text.Clean(whole+"."), w)
		}
		if len(wrapped) > rows && n == 1 {
			last := strings.Join(wrapped[rows-1:], " ")
			wrapped = append(wrapped[:rows-1], text.Truncate(last, w, "…"))
		}
		if len(wrapped) <= rows {
			copy(lines, wrapped)
			break
		}
	}
	return lines
}

// Pane is what stands in a box: the body is drawn to its inner size. That of the
// sliders is what stands below them.
type Pane struct {
	Title, Note string
	Body        func(w, h int) string
}

// Panes are those of a [Layout]. Reading is what the words are called where they
// have the whole screen.
type Panes struct {
	Sliders, First, Second, Table, Third, Fourth, Words, Reading Pane

	Lines func(w int) []string // the words about the answer
}

// Frame draws a desk in w × h cells.
func (d *Desk[Q, A]) Frame(th *theme.Theme, w, h int, l *Layout, p Panes) string {
	if d.reading {
		return d.frameWords(th, w, h, l, p)
	}
	d.Table.Focused = d.OnTable()
	sw, sh := l.Sliders.Inner()
	sliders := d.Sliders.View(th, sw, sh, d.focus == 0)
	if l.Sliders.Bare {
		return text.Block(append(text.Lines(text.Block(text.Lines(sliders), sw, sh)), text.Lines(d.Table.View(th))...), w, h)
	}
	below := p.Sliders.Body
	p.Sliders.Body = func(w, h int) string {
		if below == nil {
			return sliders
		}
		return sliders + "\n" + below(w, h-d.Sliders.Height())
	}
	p.Table.Body = func(int, int) string { return d.Table.View(th) }
	words, more := "", false
	if l.Words.W > 0 {
		iw, ih := l.Words.Inner()
		words, more = d.Words(th, p.Lines(iw), iw, ih)
	}
	p.Words.Body = func(int, int) string { return words }
	if more && p.Words.Note == "" {
		p.Words.Note = "more: enter on a row"
	}
	draw := func(b panel.Box, p Pane, focused bool) string {
		if b.W == 0 {
			return ""
		}
		return panel.Panel{Title: p.Title, Note: p.Note, Focused: focused}.Render(th, p.Body(b.Inner()), b.W, b.H)
	}
	chart := func(k int) bool { return d.focus == k && !d.OnTable() }
	rows := []string{
		beside(draw(l.Sliders, p.Sliders, d.focus == 0), draw(l.First, p.First, chart(1)),
			draw(l.Second, p.Second, chart(2))),
		draw(l.Table, p.Table, d.OnTable()),
		beside(draw(l.Third, p.Third, false), draw(l.Fourth, p.Fourth, false), draw(l.Words, p.Words, false)),
	}
	return strings.Join(shown(rows), "\n")
}

// frameWords gives the words the whole screen.
func (d *Desk[Q, A]) frameWords(th *theme.Theme, w, h int, l *Layout, p Panes) string {
	b := panel.Box{W: w, H: h, Bare: l.Table.Bare}
	iw, ih := b.Inner()
	body, more := d.Words(th, p.Lines(iw), iw, ih)
	if b.Bare {
		return body
	}
	if more {
		p.Reading.Note = "page down for more"
	}
	return panel.Panel{Title: p.Reading.Title, Note: p.Reading.Note, Focused: true}.Render(th, body, w, h)
}

func beside(panes ...string) string {
	if panes = shown(panes); len(panes) == 0 {
		return ""
	}
	return text.Beside(panes...)
}

func shown(panes []string) []string {
	return slices.DeleteFunc(panes, func(p string) bool { return p == "" })
}

// wrapAll are sentences as lines of at most w cells.
func wrapAll(sentences []string, w int) (lines []string) {
	for _, s := range sentences {
		lines = append(lines, text.Wrap(s, w)...)
	}
	return lines
}
