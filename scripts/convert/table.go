package convert

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
)

// table is a row of a CSV file, its cells found by the names of their columns.
type table struct {
	file    string
	row     int // the header is row 1
	columns map[string]int
	cells   []string
}

func (t table) cell(column string) string {
	if i, ok := t.columns[column]; ok {
		return strings.TrimSpace(t.cells[i])
	}
	return ""
}

func (t table) key(columns ...string) string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = t.cell(c)
	}
	return strings.Join(cells, "\x00")
}

// number is a cell's number, if it is finite and at least 0.
func (t table) number(column string) (v float64, ok bool) {
	v, ok = finite(t.cell(column))
	return v, ok && v >= 0
}

// largest is above any number that is meant: the Profile CSV takes none beyond.
const largest = 1e24

// finite reads a number that is neither infinite nor absurdly large.
func finite(word string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	return v, err == nil && math.Abs(v) <= largest
}

// count is a cell's whole number, if it is at least 1.
func (t table) count(column string) (n int, ok bool) {
	v, ok := finite(t.cell(column))
	return int(v), ok && v >= 1 && v <= math.MaxInt32 && v == math.Trunc(v)
}

// wrong says what is wrong with a cell.
func (t table) wrong(column, what string) error {
	if _, ok := t.columns[column]; !ok {
		return fmt.Errorf("%s, row 1: there is no column %s", t.file, column)
	}
	return fmt.Errorf("%s, row %d: %s %s %s", t.file, t.row, column, plaintext.Quote(t.cell(column)), what)
}

// eachRow calls do for every row below the header of a CSV file. A byte order
// mark before the header is no part of it.
func eachRow(folder fs.FS, file string, do func(table) error) error {
	f, err := folder.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	rows := csv.NewReader(plaintext.Unmarked(f))
	t := table{file: file, row: 1, columns: map[string]int{}}
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty: it has no header", file)
	}
	if err != nil {
		return t.unread(err)
	}
	for i, name := range header {
		t.columns[strings.TrimSpace(name)] = i
	}
	for {
		t.row++
		t.cells, err = rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return t.unread(err)
		}
		if err := do(t); err != nil {
			return err
		}
	}
}

// unread says why a row could not be read.
func (t table) unread(err error) error {
	if errors.Is(err, csv.ErrFieldCount) {
		return fmt.Errorf("%s, row %d: it has more or fewer cells than the header", t.file, t.row)
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s, row %d: a quote is left open or out of place", t.file, t.row)
	}
	return fmt.Errorf("%s, row %d: %w", t.file, t.row, err)
}
