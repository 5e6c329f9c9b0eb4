package textfile

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// Limits on the input, so that a wrong file causes an error message instead of
// exhausting memory.
const (
	MaxRowBytes = 1 << 20 // about: one row, quoted line breaks included
	MaxRows     = 1_000_000
	maxText     = 200 // characters of a name
)

// Error is an error in a file's content.
type Error struct {
	File   string // "" if it is clear which
	Unit   string // what Row counts, from 1; "" for rows: the header is row 1, blank lines are left out
	Row    int    // 0 if the error is about the whole file
	Column string // "" if the error is about the whole row
	What   string // ends the sentence, with the mend if there is one
}

// Error returns one sentence.
func (e *Error) Error() string {
	var where []string
	if e.File != "" {
		where = append(where, e.File)
	}
	if e.Row > 0 {
		where = append(where, fmt.Sprintf("%s %d", cmp.Or(e.Unit, "row"), e.Row))
	}
	if e.Column != "" {
		where = append(where, "column "+e.Column)
	}
	return strings.Join(where, ", ") + ": " + e.What
}

// Wrong returns an error about a row.
func Wrong(row int, format string, args ...any) *Error {
	return &Error{Row: row, What: fmt.Sprintf(format, args...)}
}

// Decimal reads a decimal number from a cell; one too large is infinite. strconv
// alone would also accept NaN, Inf, hexadecimal and underscores.
func Decimal(cell string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(cell, 64)
	return v, strings.Trim(cell, "0123456789+-.eE") == "" && (err == nil || errors.Is(err, strconv.ErrRange))
}

// Finite is Decimal for numbers that can be computed with.
func Finite(cell string) (v float64, ok bool) {
	v, ok = Decimal(strings.TrimSpace(cell))
	return v, ok && math.Abs(v) <= estimate.Largest
}

// IsQuantity reports whether a number may be one of seconds, dollars, bytes or the like.
func IsQuantity(v float64) bool { return v >= 0 && v <= estimate.Largest }

// Text is a name from outside, cleaned and of bounded length.
func Text(s string) string { return plaintext.Cut(strings.TrimSpace(plaintext.Clean(s)), maxText) }

// Table is a CSV file with a header. Rows are bounded. Cells are found by column
// name, whatever its case, and the first error in a cell of a row is kept until
// the row is done. The exported fields are to be set before the header is read.
type Table struct {
	CSV     *csv.Reader
	File    string                 // named in errors
	MaxRows int                    // below the header
	Unknown func(cell string) bool // which cells hold no number; nil for empty ones

	left    *io.LimitedReader
	row     int
	names   []string
	columns map[string]int    // places by lower-case name, and by the names asked for
	before  map[string]string // values in the rows before the header
	header  []string
	cells   []string
	err     error
}

// What stands for the place of a column that has none.
const (
	twice  = -1
	absent = -2
)

// NewTable returns a table whose header is still to be read. A byte order mark
// is skipped.
func NewTable(text io.Reader) *Table {
	left := &io.LimitedReader{R: plaintext.Unmarked(text)}
	rows := csv.NewReader(left)
	rows.ReuseRecord = true
	return &Table{CSV: rows, MaxRows: MaxRows, left: left, columns: map[string]int{}, before: map[string]string{}}
}

// Row is the number of the last row read; the header is row 1.
func (t *Table) Row() int { return t.row }

// next returns the cells of the next row, which are valid until the next call,
// and io.EOF after the last.
func (t *Table) next() ([]string, error) {
	t.left.N, t.err = MaxRowBytes, nil
	cells, err := t.CSV.Read()
	t.row++
	var parse *csv.ParseError
	switch {
	case t.left.N <= 0: // whatever the reader made of the piece
		return nil, t.Wrong("longer than %d bytes; is a quote left open?", MaxRowBytes)
	case err == nil || errors.Is(err, io.EOF):
		return cells, err
	case errors.Is(err, csv.ErrFieldCount):
		return nil, t.Wrong("has %s and the header %d; quote cells that hold a comma, unless the file is cut off here",
			quantity.Several(len(cells), "cell"), t.CSV.FieldsPerRecord)
	case errors.As(err, &parse):
		return nil, t.Wrong("a quote is left open or out of place; write \"\" for a quote inside a quoted cell, unless " +
			"the file is cut off here")
	case errors.Is(err, ErrDamaged):
		return nil, t.Wrong("%s", ErrDamaged.Error())
	}
	return nil, fmt.Errorf("reading row %d: %w", t.row, err)
}

// Header reads the row that names the columns: the first, or the first that
// begins with the given name. what names the file if it is empty.
func (t *Table) Header(what, begins string) error {
	if begins != "" {
		t.CSV.FieldsPerRecord = -1 // until the header
	}
	for {
		cells, err := t.next()
		switch {
		case errors.Is(err, io.EOF):
			t.row = max(t.row-1, 1)
			return t.Wrong("the file is empty; %s starts with a row of column names", what)
		case err != nil:
			return err
		case begins != "" && (len(cells) == 0 || cells[0] != begins) && t.row < 20:
			if len(cells) > 1 {
				t.before[cells[0]] = cells[1]
			}
			continue
		}
		t.CSV.FieldsPerRecord, t.header = len(cells), slices.Clone(cells)
		for i, cell := range cells {
			name := Text(cell)
			key := columnName(name)
			if _, again := t.columns[key]; again {
				t.columns[key] = twice
			} else if name != "" {
				t.columns[key], t.names = i, append(t.names, name)
			}
		}
		return nil
	}
}

// columnName normalises what spreadsheets do to a header.
func columnName(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// Preamble is the value of a name in the rows before the header.
func (t *Table) Preamble(name string) string { return t.before[name] }

// Columns are the names of all columns, in the file's order.
func (t *Table) Columns() []string { return t.names }

// Listed is Columns for an error message.
func (t *Table) Listed() string {
	return plaintext.Cut(plaintext.Join(t.names, ", ", plaintext.Quote), maxText)
}

// Has reports whether the table has all of the columns.
func (t *Table) Has(columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return t.at(c) == absent })
}

func (t *Table) at(column string) int {
	i, asked := t.columns[column]
	if !asked {
		i = absent
		if j, ok := t.columns[columnName(column)]; ok {
			i = j
		}
		t.columns[column] = i
	}
	return i
}

// Need refuses a table without one of the columns.
func (t *Table) Need(columns ...string) error {
	for _, c := range columns {
		switch t.at(c) {
		case absent:
			return t.Fail(c, "the column is missing")
		case twice:
			return t.Fail(c, "the column is duplicated; remove one")
		}
	}
	return nil
}

// Each calls do for every row and returns the first error, in a cell or of do. A
// row that repeats the header, as a log that was appended to has, is no row.
func (t *Table) Each(do func() error) error {
	for {
		cells, err := t.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case t.row > t.MaxRows+1:
			return t.Wrong("more than %s; split the file", quantity.Several(t.MaxRows, "row"))
		case slices.Equal(cells, t.header):
			continue
		}
		t.cells = cells
		if err := do(); t.err != nil || err != nil {
			return cmp.Or(t.err, err)
		}
	}
}

// Fail returns, and keeps, an error at the last row read.
func (t *Table) Fail(column, format string, args ...any) error {
	err := &Error{File: t.File, Row: t.row, Column: column, What: fmt.Sprintf(format, args...)}
	if t.err == nil {
		t.err = err
	}
	return err
}

// Wrong is Fail for the whole row.
func (t *Table) Wrong(format string, args ...any) error { return t.Fail("", format, args...) }

// Raw is a cell as it stands, "" if there is no such column.
func (t *Table) Raw(column string) string {
	switch i := t.at(column); {
	case i == twice:
		_ = t.Fail(column, "the column is duplicated; remove one")
	case i >= 0 && i < len(t.cells):
		return t.cells[i]
	}
	return ""
}

// Cell is a cell without control characters and surrounding white space. It does
// not keep its row in memory.
func (t *Table) Cell(column string) string {
	return strings.Clone(strings.TrimSpace(plaintext.Clean(t.Raw(column))))
}

// Text is a cell that holds a name.
func (t *Table) Text(column string) string { return strings.Clone(Text(t.Raw(column))) }

// Number is a cell's number, nil if it is unknown.
func (t *Table) Number(column string) *float64 {
	cell := strings.TrimSpace(t.Raw(column))
	if cell == "" || t.Unknown != nil && t.Unknown(cell) {
		return nil
	}
	v, ok := Decimal(cell)
	switch {
	case !ok:
		_ = t.Fail(column, "%s is not a finite decimal number; leave the cell empty if it is unknown",
			plaintext.Quote(cell))
	case math.Abs(v) > estimate.Largest:
		_ = t.Fail(column, "%s is too large", plaintext.Quote(cell))
	default:
		return &v
	}
	return nil
}

// NotNegative is a cell's number of at least 0, nil if it is unknown.
func (t *Table) NotNegative(column string) *float64 {
	v := t.Number(column)
	if v != nil && *v < 0 {
		_ = t.Fail(column, "%g is negative; give a number of at least 0", *v)
		return nil
	}
	return v
}

// Positive is a cell's number above 0, nil if it is unknown or 0: a time, rate or
// size of 0 was not measured.
func (t *Table) Positive(column string) *float64 {
	if v := t.NotNegative(column); v != nil && *v > 0 {
		return v
	}
	return nil
}

// Whole is a cell's whole number, or empty if it is unknown.
func (t *Table) Whole(column string, empty int) int {
	v := t.NotNegative(column)
	if v == nil {
		return empty
	}
	if *v != math.Trunc(*v) || *v > math.MaxInt32 {
		_ = t.Fail(column, "%g is not a whole number up to %d", *v, math.MaxInt32)
		return empty
	}
	return int(*v)
}

// Count is Whole, 0 if it is unknown.
func (t *Table) Count(column string) int { return t.Whole(column, 0) }
