package library

import (
	"cmp"
	"slices"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/table"
	"sweetspot/tui/text"
)

// row is one entry of a shelf: its cells as text and, for numbers, as values
// to sort by.
type row struct {
	id       int64
	cells    map[string]string
	numbers  map[string]float64
	question rank.Question
	pick     store.Pick
}

// list is a shelf: all its rows, and those that are shown, in order.
type list struct {
	table      *table.Table
	all, shown []*row
	column     string
	descending bool
}

func (l *list) set(rows []*row) { l.all = rows }

// selected is the row under the cursor; nil without one.
func (l *list) selected() *row {
	i, ok := l.table.Cursor()
	if !ok || i >= len(l.shown) {
		return nil
	}
	return l.shown[i]
}

// refresh filters and sorts anew.
func (l *list) refresh(filter string) {
	words := strings.Fields(strings.ToLower(filter))
	l.shown = l.shown[:0:0]
	for _, r := range l.all {
		if r.matches(words) {
			l.shown = append(l.shown, r)
		}
	}
	if l.column != "" {
		slices.SortStableFunc(l.shown, func(a, b *row) int { return compare(a, b, l.column) })
	}
	if l.descending {
		slices.Reverse(l.shown)
	}
	l.table.SetRows(shownRows(l.shown))
	l.table.SetSort(l.column, l.descending)
}

func (r *row) matches(words []string) bool {
	for _, w := range words {
		found := false
		for _, c := range r.cells {
			found = found || strings.Contains(strings.ToLower(c), w)
		}
		if !found {
			return false
		}
	}
	return true
}

// compare orders by number where both rows have one; a missing one comes last.
func compare(a, b *row, column string) int {
	x, okX := a.numbers[column]
	y, okY := b.numbers[column]
	switch {
	case okX && okY:
		return cmp.Compare(x, y)
	case okX:
		return -1
	case okY:
		return 1
	}
	return cmp.Compare(strings.ToLower(a.cells[column]), strings.ToLower(b.cells[column]))
}

// shownRows gives rows to a table.
type shownRows []*row

func (r shownRows) Len() int         { return len(r) }
func (r shownRows) ID(row int) int64 { return r[row].id }
func (r shownRows) Find(id int64) (int, bool) {
	i := slices.IndexFunc(r, func(x *row) bool { return x.id == id })
	return i, i >= 0
}
func (r shownRows) Cell(row int, column string, _ int) string {
	return text.Clean(r[row].cells[column])
}
func (r shownRows) Look(int) table.Look { return table.Look{} }
