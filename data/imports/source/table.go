package source

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// Row is a row of a table. Cells are found by column name.
type Row struct {
	file    File
	row     int // the header is row 1
	columns map[string]int
	cells   []string
	err     error // the first that a cell gave; it ends the reading of the table
}

// Table calls do for every row below the header of a table with the separator.
// The header's names are given to header first, which may refuse them; nil
// takes any. A row that repeats the header, as a log that was appended to has,
// is no row.
func Table(f File, separator rune, header func(*Row) error, do func(*Row) error) error {
	text, err := f.Open()
	if err != nil {
		return Opening(f, err)
	}
	defer text.Close()
	rows := textfile.NewRows(text)
	rows.CSV.Comma, rows.CSV.LazyQuotes = separator, separator == '\t'
	names, err := rows.Next()
	if errors.Is(err, io.EOF) {
		return f.Wrong("the file is empty; it should begin with a row of column names")
	}
	row := &Row{file: f, row: 1, columns: map[string]int{}}
	if err != nil {
		return row.unread(err)
	}
	for i, name := range names {
		if name = Text(name); name == "" {
			continue
		}
		if _, twice := row.columns[name]; twice {
			return row.Wrong("the column %s is there twice", plaintext.Quote(name))
		}
		row.columns[name] = i
	}
	first := slices.Clone(names)
	if header != nil {
		if err := header(row); err != nil {
			return err
		}
	}
	for {
		row.row++
		row.cells, err = rows.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return row.unread(err)
		case row.row > MaxRows+1:
			return row.Wrong("more than %d rows; split the file", MaxRows)
		case slices.Equal(row.cells, first):
			continue
		}
		err = do(row)
		if err = cmp.Or(row.err, err); err != nil {
			return err
		}
	}
}

// Opening says why a file could not be opened.
func Opening(f File, err error) error {
	return &Error{File: f.Base(), What: "cannot be read: " + plaintext.Line(strings.TrimPrefix(err.Error(), "open "), 200)}
}

// Wrong returns an error about the row.
func (r *Row) Wrong(format string, args ...any) error {
	return &Error{File: r.file.Base(), Row: r.row, What: fmt.Sprintf(format, args...)}
}

// N is the row's number.
func (r *Row) N() int { return r.row }

// Has reports whether there is such a column.
func (r *Row) Has(column string) bool {
	_, ok := r.columns[column]
	return ok
}

// Columns are the names of all columns, sorted.
func (r *Row) Columns() []string { return slices.Sorted(maps.Keys(r.columns)) }

// errEnough ends the reading of a table after its header.
var errEnough = errors.New("enough")

// Head passes only the header of a table to is, which may reject it.
func Head(f File, separator rune, is func(*Row) error) error {
	err := Table(f, separator, func(r *Row) error { return cmp.Or(is(r), errEnough) }, nil)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// Need rejects a table without the columns.
func (r *Row) Need(columns ...string) error {
	for _, c := range columns {
		if !r.Has(c) {
			return r.Wrong("there is no column %s", c)
		}
	}
	return nil
}

// Text is a cell, "" of a column that is not there.
func (r *Row) Text(column string) string {
	i, ok := r.columns[column]
	if !ok || i >= len(r.cells) {
		return ""
	}
	return strings.Clone(Text(r.cells[i]))
}

// Whole is a cell unchanged, which may be a long list.
func (r *Row) Whole(column string) string {
	if i, ok := r.columns[column]; ok && i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}

func (r *Row) fail(format string, args ...any) {
	if r.err == nil {
		r.err = r.Wrong(format, args...)
	}
}

// Number is a cell's number, nil if unknown.
func (r *Row) Number(column string) *float64 {
	v, ok := Number(r.Text(column))
	if !ok {
		r.fail("%s %s is not a number", column, plaintext.Quote(r.Text(column)))
	}
	return v
}

// Positive is a cell's number above 0, nil if unknown or 0: a time, rate or
// size of 0 was not measured.
func (r *Row) Positive(column string) *float64 {
	v := r.Number(column)
	if v == nil || *v == 0 {
		return nil
	}
	if *v < 0 {
		r.fail("%s %g is negative", column, *v)
		return nil
	}
	return v
}

// Count is a cell's whole number, 0 if unknown.
func (r *Row) Count(column string) int {
	v := r.Positive(column)
	if v == nil {
		return 0
	}
	if *v != math.Trunc(*v) || *v > math.MaxInt32 {
		r.fail("%s %g is not a whole number up to %d", column, *v, math.MaxInt32)
		return 0
	}
	return int(*v)
}

// unread describes why a row could not be read.
func (r *Row) unread(err error) error {
	var refused *textfile.Error
	switch {
	case errors.As(err, &refused):
		return r.Wrong("%s", refused.What)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.Wrong("the file is cut off; fetch it again")
	}
	return r.Wrong("cannot be read: %s", plaintext.Line(err.Error(), 200))
}

// HaveAll reports whether the names of a table's columns contain all of those.
func HaveAll(names []string, columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(names, c) })
}

// Header is the first row of a table in head; nil if head is not a table.
func Header(head []byte, separator rune) []string {
	rows := csv.NewReader(plaintext.Unmarked(strings.NewReader(string(head))))
	rows.Comma, rows.LazyQuotes = separator, separator == '\t'
	names, err := rows.Read()
	if err != nil {
		return nil
	}
	for i, name := range names {
		names[i] = Text(name)
	}
	return names
}

// Mapping says which columns of a wide table are what. Columns of Times hold
// the time of an iteration on a VM type each.
type Mapping struct {
	Source    string   `yaml:"source" json:"source"`         // source of the runs
	Basis     string   `yaml:"basis" json:"basis"`           // published (default) or measured
	AsOf      string   `yaml:"as_of" json:"as_of"`           // a date
	Mode      string   `yaml:"mode" json:"mode"`             // train (default) or infer
	Unit      string   `yaml:"unit" json:"unit"`             // of work
	Model     string   `yaml:"model" json:"model"`           // column
	Dataset   string   `yaml:"dataset" json:"dataset"`       // column
	Precision string   `yaml:"precision" json:"precision"`   // column
	BatchSize string   `yaml:"batch_size" json:"batch_size"` // column
	Variant   []string `yaml:"variant" json:"variant"`       // columns, joined by blanks
	Repeat    string   `yaml:"repeat" json:"repeat"`         // column that tells repeats apart

	Times map[string]TimeColumn `yaml:"times" json:"times"`
}

// TimeColumn describes a column of times.
type TimeColumn struct {
	Seconds float64 `yaml:"-" json:"-"` // one unit of the column
	// s, ms, us or ns; required, since a wrong guess is off by factors of
	// thousands
	In           string  `yaml:"unit" json:"unit"`
	Cloud        string  `yaml:"cloud" json:"cloud"` // of the VM type
	Region       string  `yaml:"region" json:"region"`
	InstanceType string  `yaml:"instance_type" json:"instance_type"`
	GPU          string  `yaml:"gpu" json:"gpu"`
	GPUCount     int     `yaml:"gpu_count" json:"gpu_count"`
	USDPerHour   float64 `yaml:"usd_per_hour" json:"usd_per_hour"` // 0 is unknown
}
