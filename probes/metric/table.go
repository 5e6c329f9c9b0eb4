package metric

import (
	"regexp"
	"slices"
	"strings"
)

// table is a table whose header gave the columns: fastai's, a CSV file, the one
// of each epoch's results that many a script prints.
type table struct {
	columns  []column
	divide   func(string) []string
	ofEpochs bool // each row is an epoch; else one is of all classes together
}

// column is one of a table: a metric, the epoch, or neither.
type column struct {
	measured bool
	value    Value // without its number
	epoch    bool
}

// Limits of a table's header, in cells.
const (
	leastColumns = 3
	mostColumns  = 60
)

var gap = regexp.MustCompile(`\s{2,}|\t`)

// dividers are the ways in which columns are told apart.
var dividers = []func(string) []string{
	func(s string) []string {
		return cells(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("|│┃║", r) }))
	},
	func(s string) []string { return cells(strings.Split(s, ",")) },
	func(s string) []string { return cells(gap.Split(strings.TrimSpace(s), -1)) },
	strings.Fields,
}

func cells(list []string) []string {
	for i := range list {
		list[i] = strings.Trim(list[i], " \"'[]")
	}
	return list
}

// header reads the header of a table; nil for any other line. It names an epoch, or
// the rows' subject as the tables of detectors do, and at least one metric.
func header(text string) *table {
	if m := bar.FindStringIndex(text); m != nil {
		text = strings.TrimRight(text[:m[0]], ": ")
	}
	for _, divide := range dividers {
		names := divide(text)
		if len(names) < leastColumns || len(names) > mostColumns {
			continue
		}
		t := table{divide: divide}
		split, metrics := Unsaid, 0
		for _, name := range names {
			c := columnOf(name, &split)
			if c.measured {
				metrics++
			}
			t.columns = append(t.columns, c)
		}
		t.ofEpochs = slices.ContainsFunc(t.columns, func(c column) bool { return c.epoch })
		if metrics > 0 && (t.ofEpochs || strings.EqualFold(names[0], "class")) {
			t.settle()
			return &t
		}
	}
	return nil
}

func columnOf(name string, split *Split) column {
	all := parts(name)
	if isEpoch(all) {
		return column{epoch: true}
	}
	m, ok := measureOf(all)
	if !ok || recalls(all) {
		return column{}
	}
	v := Value{measure: m, Label: name, Split: splitOf(all)}
	if v.Split == Unsaid {
		v.Split, v.weak = *split, true
	} else {
		*split = v.Split
	}
	return column{measured: true, value: v}
}

// settle gives the training what a validation has beside it.
func (t *table) settle() {
	for i, c := range t.columns {
		for _, o := range t.columns {
			if c.measured && c.value.weak && o.measured && !o.value.weak && o.value.name == c.value.name &&
				o.value.Split != Train {
				t.columns[i].value.Split = Train
			}
		}
	}
}

// row reads a line as a row of the table; ok is false for one that is none.
func (t *table) row(text string) (l line, ok bool) {
	of := t.divide(text)
	if len(of) != len(t.columns) || !t.ofEpochs && !strings.EqualFold(of[0], "all") {
		return line{}, false
	}
	for i, c := range t.columns {
		tokens := scan(of[i])
		isNumber := len(tokens) == 1 && tokens[0].kind == number
		switch {
		case c.epoch && !isNumber, c.measured && !isNumber && !isUnknown(of[i]):
			return line{}, false
		case c.epoch:
			l.epoch, l.fine = &tokens[0].number, !tokens[0].whole
		case c.measured && isNumber:
			v := c.value
			v.take(tokens[0])
			if v.isSound() {
				l.values = append(l.values, v)
			}
		}
	}
	return l, true
}

// isUnknown reports a cell that holds no value.
func isUnknown(cell string) bool {
	return cell == "" || cell == "-" || strings.EqualFold(cell, "nan") || strings.EqualFold(cell, "none")
}
