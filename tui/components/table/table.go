// Package table is the ranking table: it draws the visible rows of any number,
// keeps its cursor on the same row when the rows change, and drops columns
// when it is narrow.
package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/tui/keys"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Column is one column. Width is its least width in cells; Flex is its share
// of the cells left over, 0 for a fixed width. When not all columns fit, those
// with the highest Drop go first; Drop 0 stays.
type Column struct {
	ID    string
	Title string
	Width int
	Flex  int
	Right bool // numbers stand at the right
	Drop  int
	Sort  bool // the table can be sorted by it
}

// RowStyle is how a row is marked.
type RowStyle struct {
	Mark  rune // in the gutter: a pin; 0 for none
	Faint bool // out of reach: infeasible, failed
}

// Rows is what a table shows.
type Rows interface {
	Len() int
	// Find returns the row that shows what a row did of the rows before.
	Find(before Rows, row int) (now int, ok bool)
	// Cell returns the text of a cell, pens included; the table cuts or fills
	// it to width.
	Cell(row int, column string, width int) string
	Style(row int) RowStyle
}

// Table is the state of a table.
type Table struct {
	Focused bool   // it has the keys
	Empty   string // the sentence shown when there are no rows

	columns []Column
	rows    Rows
	cursor  int
	top     int // first visible row
	w, h    int
	sortBy  string
	desc    bool
	placed  []placed
}

// placed is a column at its place in the line.
type placed struct {
	Column
	from int
}

// New returns an empty table.
func New(columns []Column) *Table { return &Table{columns: columns, rows: none{}} }

// none has no rows.
type none struct{}

func (none) Len() int                     { return 0 }
func (none) Find(Rows, int) (int, bool)   { return 0, false }
func (none) Cell(int, string, int) string { return "" }
func (none) Style(int) RowStyle           { return RowStyle{} }

// SetColumns changes the columns.
func (t *Table) SetColumns(columns []Column) {
	t.columns = columns
	t.placed = nil
}

// SetRows shows other rows. The cursor stays on its row and its row stays on
// its line of the screen; if the row is gone, the cursor keeps its number.
func (t *Table) SetRows(rows Rows) {
	line := t.cursor - t.top
	if t.rows.Len() > 0 {
		if row, ok := rows.Find(t.rows, t.cursor); ok {
			t.cursor = row
		}
	}
	t.rows = rows
	t.cursor = min(max(t.cursor, 0), max(rows.Len()-1, 0))
	t.top = t.cursor - line
	t.scroll()
}

// SetSize changes the size in cells, the header included.
func (t *Table) SetSize(w, h int) {
	if w != t.w || h != t.h {
		t.w, t.h = w, h
		t.placed = nil
		t.scroll()
	}
}

// SetSort shows by which column the rows are sorted.
func (t *Table) SetSort(column string, descending bool) { t.sortBy, t.desc = column, descending }

// Sortable lists the columns that can be sorted by, in their order.
func (t *Table) Sortable() []string {
	var ids []string
	for _, c := range t.columns {
		if c.Sort {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// Cursor returns the row under the cursor; ok is false without rows.
func (t *Table) Cursor() (row int, ok bool) { return t.cursor, t.rows.Len() > 0 }

// SetCursor moves the cursor to a row and scrolls as little as it takes.
func (t *Table) SetCursor(row int) bool {
	before := t.cursor
	t.cursor = min(max(row, 0), max(t.rows.Len()-1, 0))
	t.scroll()
	return t.cursor != before
}

// Act moves the cursor where an action does: by a row, by a page, to an end. It
// reports whether the action is one of these.
func (t *Table) Act(a keys.Action) (moves bool) {
	page := max(t.visible()-1, 1)
	to, moves := map[keys.Action]int{
		keys.Up: t.cursor - 1, keys.Down: t.cursor + 1, keys.PageUp: t.cursor - page, keys.PageDown: t.cursor + page,
		keys.Top: 0, keys.Bottom: t.rows.Len() - 1,
	}[a]
	if moves {
		t.SetCursor(to)
	}
	return moves
}

// Scroll moves the view and not the cursor, as a mouse wheel does, except that
// the cursor stays in view.
func (t *Table) Scroll(rows int) {
	t.top = min(max(t.top+rows, 0), max(t.rows.Len()-max(t.visible(), 1), 0))
	t.cursor = min(max(t.cursor, t.top), max(min(t.top+max(t.visible(), 1), t.rows.Len())-1, 0))
}

// visible is the number of rows that fit.
func (t *Table) visible() int { return max(t.h-1, 0) }

// scroll brings the cursor into view and leaves no blank lines that rows could
// fill.
func (t *Table) scroll() {
	n := max(t.visible(), 1)
	t.top = min(t.top, t.cursor, max(t.rows.Len()-n, 0))
	t.top = max(t.top, t.cursor-n+1, 0)
}

// Hit says what is at a cell of the table: a column title on the header line
// (row −1), else a row.
func (t *Table) Hit(x, y int) (row int, column string, ok bool) {
	if x < 0 || y < 0 || x >= t.w || y >= t.h {
		return 0, "", false
	}
	for _, c := range t.place() {
		if x >= c.from && x < c.from+c.Width {
			column = c.ID
		}
	}
	if y == 0 {
		return -1, column, column != ""
	}
	row = t.top + y - 1
	return row, column, row < t.rows.Len()
}

// gutter holds the cursor and the mark; gap is the space between two columns.
const (
	gutter = 2
	gap    = 2
)

// place chooses the columns that fit and gives them their widths.
func (t *Table) place() []placed {
	if t.placed != nil {
		return t.placed
	}
	keep := slices.Clone(t.columns)
	for need(keep) > t.w {
		worst := -1
		for i, c := range keep {
			if c.Drop > 0 && (worst < 0 || c.Drop >= keep[worst].Drop) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		keep = slices.Delete(keep, worst, worst+1)
	}
	spread(keep, t.w-need(keep))
	at := gutter
	t.placed = make([]placed, 0, len(keep))
	for _, c := range keep {
		t.placed = append(t.placed, placed{c, at})
		at += c.Width + gap
	}
	return t.placed
}

func need(columns []Column) int {
	n := gutter - gap
	for _, c := range columns {
		n += c.Width + gap
	}
	return n
}

// spread gives spare cells to the flexible columns.
func spread(columns []Column, spare int) {
	flex := 0
	for _, c := range columns {
		flex += c.Flex
	}
	for i := range columns {
		if f := columns[i].Flex; f > 0 && spare > 0 {
			more := spare * f / flex
			columns[i].Width += more
			spare -= more
			flex -= f
		}
	}
}

// View draws the table in exactly its size, reading the cells of visible rows
// only.
func (t *Table) View(th *theme.Theme) string {
	if t.w <= 0 || t.h <= 0 {
		return ""
	}
	lines := make([]string, 0, t.h)
	lines = append(lines, t.header(th))
	for row := t.top; row < min(t.top+t.visible(), t.rows.Len()); row++ {
		lines = append(lines, t.line(th, row))
	}
	if t.rows.Len() == 0 {
		lines = append(lines, th.Dim.Wrap(t.Empty, text.Spaces(gutter), t.w-gutter+1)...)
	}
	return text.Block(lines, t.w, t.h)
}

func (t *Table) header(th *theme.Theme) string {
	var b strings.Builder
	b.WriteString(text.Spaces(gutter))
	for i, c := range t.place() {
		if i > 0 {
			b.WriteString(text.Spaces(gap))
		}
		title, pen := c.Title, th.Dim
		if c.ID == t.sortBy && c.Sort {
			arrow := th.Symbols.Up
			if t.desc {
				arrow = th.Symbols.Down
			}
			// The arrow stays in sight where the title must be cut.
			title, pen = text.Truncate(title, c.Width-1, "")+string(arrow), th.TitleFocus
		}
		b.WriteString(pen.Render(align(title, c.Width, c.Right)))
	}
	return b.String()
}

func align(s string, width int, right bool) string {
	if right {
		return text.FitRight(s, width)
	}
	return text.Fit(s, width)
}

func (t *Table) line(th *theme.Theme, row int) string {
	style := t.rows.Style(row)
	var b strings.Builder
	here := row == t.cursor
	b.WriteString(mark(th, style.Mark, here))
	for i, c := range t.place() {
		if i > 0 {
			b.WriteString(text.Spaces(gap))
		}
		b.WriteString(align(t.rows.Cell(row, c.ID, c.Width), c.Width, c.Right))
	}
	line := text.Fit(b.String(), t.w)
	switch {
	case here && t.Focused:
		return th.Selected.Over(line)
	case style.Faint:
		return th.Faint.Over(line)
	}
	return line
}

// mark is the gutter: the cursor, then a pin.
func mark(th *theme.Theme, pin rune, here bool) string {
	first, second := " ", " "
	if here {
		first = th.Knob.Render(th.Symbols.Here)
	}
	if pin != 0 {
		second = th.Pinned.Render(string(pin))
	}
	return first + second
}

// Share draws a probability or another share as a bar with its percentage in
// exactly width cells: ████▉ 97%. NaN is unknown.
func Share(th *theme.Theme, fraction float64, width int) string {
	if math.IsNaN(fraction) {
		return text.FitRight("–", width)
	}
	fraction = min(max(fraction, 0), 1)
	number := fmt.Sprintf("%4.0f%%", fraction*100)
	switch {
	case fraction > 0 && fraction < 0.005:
		number = "  <1%"
	case fraction < 1 && fraction >= 0.995:
		number = " >99%"
	}
	if width <= len(number) {
		return text.FitRight(strings.TrimSpace(number), width)
	}
	return plot.Bar(th, fraction, width-len(number)) + number
}
