// Package published holds the numbers that the studies print, cell by cell,
// and the slips found in them, for holding our own computations against them.
// README.md says what the files hold.
package published

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/reproduce"
)

//go:embed malta.csv
var maltaCSV string

//go:embed slips.csv
var slipsCSV string

// Columns of the two files, in their order.
var (
	cellColumns = []string{"table", "application", "batch_size", "validation", "instance_type", "column", "epochs", "printed", "source"}
	slipColumns = []string{"table", "batch_size", "validation", "instance_type", "column", "epochs", "should_be", "why"}
)

// Malta returns the cells and slips of Malta's thesis (2021).
func Malta() ([]reproduce.Cell, []reproduce.Slip, error) {
	cells, err := ReadCells(strings.NewReader(maltaCSV))
	if err != nil {
		return nil, nil, fmt.Errorf("published numbers, malta.csv: %w", err)
	}
	slips, err := ReadSlips(strings.NewReader(slipsCSV))
	if err != nil {
		return nil, nil, fmt.Errorf("published numbers, slips.csv: %w", err)
	}
	return cells, slips, nil
}

// ReadCells reads printed cells. An error names the row and column.
func ReadCells(in io.Reader) ([]reproduce.Cell, error) {
	var cells []reproduce.Cell
	seen := map[reproduce.Key]bool{}
	err := eachRow(in, cellColumns, func(r row) error {
		c := reproduce.Cell{Key: r.key()}
		for _, required := range []string{"column", "source"} {
			if r.text(required) == "" {
				return r.wrong(required, "is empty")
			}
		}
		if seen[c.Key] {
			return r.wrong("column", "repeats the cell "+c.Key.String())
		}
		seen[c.Key] = true
		c.Number = r.number("printed")
		cells = append(cells, c)
		return r.failed()
	})
	return cells, err
}

// ReadSlips reads the places where a study contradicts itself.
func ReadSlips(in io.Reader) ([]reproduce.Slip, error) {
	var slips []reproduce.Slip
	err := eachRow(in, slipColumns, func(r row) error {
		s := reproduce.Slip{Key: r.key(), Why: r.text("why")}
		if s.Why == "" {
			return r.wrong("why", "is empty")
		}
		if n := r.number("should_be"); n != nil {
			s.ShouldBe = &n.Value
		}
		slips = append(slips, s)
		return r.failed()
	})
	return slips, err
}

// eachRow checks the header and hands every row after it to use.
func eachRow(in io.Reader, columns []string, use func(row) error) error {
	reader := csv.NewReader(in)
	reader.FieldsPerRecord = len(columns)
	for n := 1; ; n++ {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF) && n > 1:
			return nil
		case err != nil:
			return fmt.Errorf("row %d: %w", n, err)
		case n == 1 && !slices.Equal(record, columns):
			return fmt.Errorf("row 1 must be the header %s", strings.Join(columns, ","))
		case n > 1:
			if err := use(row{line: n, columns: columns, cells: record, err: new(error)}); err != nil {
				return err
			}
		}
	}
}

// row reads typed values and keeps the first thing that is wrong.
type row struct {
	line    int // counted from 1, the header included
	columns []string
	cells   []string
	err     *error
}

func (r row) text(column string) string {
	i := slices.Index(r.columns, column)
	if i < 0 {
		return ""
	}
	return r.cells[i]
}

func (r row) number(column string) *reproduce.Number {
	text := r.text(column)
	if text == "" {
		return nil
	}
	n, err := reproduce.ParseNumber(text)
	if err != nil {
		r.keep(r.wrong(column, err.Error()))
	}
	return &n
}

func (r row) key() reproduce.Key {
	k := reproduce.Key{
		Table: r.text("table"), Application: r.text("application"), Validation: r.text("validation"),
		VM: r.text("instance_type"), Column: r.text("column"),
	}
	if k.Table == "" {
		r.keep(r.wrong("table", "is empty"))
	}
	if v := k.Validation; v != "" && v != "yes" && v != "no" {
		r.keep(r.wrong("validation", fmt.Sprintf("%q is neither yes nor no", v)))
	}
	k.Batch = r.count("batch_size")
	k.Epochs = float64(r.count("epochs"))
	return k
}

func (r row) count(column string) int {
	text := r.text(column)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		r.keep(r.wrong(column, fmt.Sprintf("%q is not a count", text)))
	}
	return int(n)
}

func (r row) wrong(column, what string) error {
	return fmt.Errorf("row %d, column %s: %s", r.line, column, what)
}

func (r row) keep(err error) {
	if *r.err == nil {
		*r.err = err
	}
}

func (r row) failed() error { return *r.err }
