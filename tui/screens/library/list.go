package library

import (
	"cmp"
	"slices"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/tui/components/table"
	"sweetspot/tui/text"
)

// row is one entry of a list: its cells as text and, for numbers, as values
// to sort by.
type row struct {
	id       int64
	cells    map[string]string
	numbers  map[string]float64
	question question.Question
	pick     store.Pick
	run      *profile.Run // nil where the row is not of a run
	words    []string     // what the row's cells have no room for
}

// source is where a list's rows are from. Of many only those that are looked at
// are made.
type source struct {
	n   int
	id  func(i int) int64
	row func(i int) *row
}

// made is a source of rows that are there already.
func made(rows []*row) source {
	return source{len(rows), func(i int) int64 { return rows[i].id }, func(i int) *row { return rows[i] }}
}

// list is a list: all its rows, and which of them are shown, in order.
type list struct {
	table      *table.Table
	all        source
	shown      []int
	column     string
	descending bool
}

func (l *list) set(all source) { l.all = all }

// selected is the row under the cursor; nil without one.
func (l *list) selected() *row {
	i, ok := l.table.Cursor()
	if !ok || i >= len(l.shown) {
		return nil
	}
	return l.all.row(l.shown[i])
}

// refresh filters and sorts again.
func (l *list) refresh(filter string) {
	words := strings.Fields(strings.ToLower(filter))
	l.shown = make([]int, 0, l.all.n)
	for i := range l.all.n {
		if len(words) == 0 || l.all.row(i).matches(words) {
			l.shown = append(l.shown, i)
		}
	}
	l.sort()
	if l.descending {
		slices.Reverse(l.shown)
	}
	l.table.SetRows(&shownRows{all: l.all, shown: l.shown, last: -1})
	l.table.SetSort(l.column, l.descending)
}

func (l *list) sort() {
	if l.column == "" {
		return
	}
	keys := make([]key, l.all.n)
	for _, i := range l.shown {
		keys[i] = l.all.row(i).key(l.column)
	}
	slices.SortStableFunc(l.shown, func(a, b int) int { return keys[a].compare(keys[b]) })
}

func (r *row) matches(words []string) bool {
	for _, w := range words {
		found := false
		for _, c := range r.cells {
			found = found || strings.Contains(strings.ToLower(c), w)
		}
		for _, c := range r.words {
			found = found || strings.Contains(strings.ToLower(c), w)
		}
		if !found {
			return false
		}
	}
	return true
}

// key is what a row is sorted by: a number where it has one in the column.
type key struct {
	isNumber bool
	number   float64
	word     string
}

func (r *row) key(column string) key {
	if v, ok := r.numbers[column]; ok {
		return key{true, v, ""}
	}
	return key{false, 0, strings.ToLower(r.cells[column])}
}

// compare orders numbers before what has none.
func (k key) compare(o key) int {
	switch {
	case k.isNumber && o.isNumber:
		return cmp.Compare(k.number, o.number)
	case k.isNumber:
		return -1
	case o.isNumber:
		return 1
	}
	return cmp.Compare(k.word, o.word)
}

// shownRows gives rows to a table.
type shownRows struct {
	all   source
	shown []int
	last  int // row that was made last
	made  *row
}

func (r *shownRows) Len() int         { return len(r.shown) }
func (r *shownRows) ID(row int) int64 { return r.all.id(r.shown[row]) }
func (r *shownRows) Find(id int64) (int, bool) {
	i := slices.IndexFunc(r.shown, func(i int) bool { return r.all.id(i) == id })
	return i, i >= 0
}

func (r *shownRows) Cell(row int, column string, _ int) string {
	if row != r.last {
		r.last, r.made = row, r.all.row(r.shown[row])
	}
	return text.Clean(r.made.cells[column])
}

func (r *shownRows) Style(int) table.RowStyle { return table.RowStyle{} }
