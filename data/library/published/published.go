// Package published holds the numbers that the studies print, cell by cell, and
// the errors found in them, for comparison with our own results. README.md
// describes the files.
package published

import (
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/reproduce"
)

//go:embed *.csv
var files embed.FS

// Columns of the files, in their order: the thesis' cells, those of the other
// studies, the slips of all, and the pruning curves.
var (
	cellColumns = []string{"table", "application", "batch_size", "validation", "instance_type", "column", "epochs",
		"printed", "source"}
	studyColumns = []string{"table", "application", "variant", "batch_size", "instance_type", "column", "printed",
		"rounding", "source"}
	slipColumns = []string{"paper", "table", "application", "variant", "batch_size", "validation", "instance_type",
		"column", "epochs", "should_be", "why"}
	curveColumns = []string{"network", "dataset", "layer", "removed", "metric", "step_percent", "percent", "source"}
)

// ofThesis are the cells of the thesis that print the 2019 study's runs again:
// their times in seconds and their iterations.
var ofThesis = map[string]string{"4.2": "time_s", "4.3": "iterations"}

// Read returns the printed cells and the slips of a paper, one of
// [reproduce.Papers].
func Read(paper string) (in reproduce.Inputs, err error) {
	in.Paper = paper
	if in.Cells, err = readFile(paper+".csv", ReadCells); err != nil {
		return in, err
	}
	if in.Slips, err = readFile("slips.csv", ReadSlips); err != nil {
		return in, err
	}
	switch paper {
	case reproduce.TARCAR:
		in.Curves, err = readFile("pruning.csv", ReadCurves)
		return in, err
	case reproduce.Paragon:
		models, err := readFile("models.csv", ReadCells)
		in.Cells = append(in.Cells, models...)
		return in, err
	case reproduce.Malta2019:
	default:
		return in, nil
	}
	thesis, err := readFile(reproduce.Malta+".csv", ReadCells)
	if err != nil {
		return in, err
	}
	for _, c := range thesis {
		if column, again := ofThesis[c.Table]; again && c.Column == column {
			c.Table = "thesis " + c.Table
			in.Cells = append(in.Cells, c)
		}
	}
	return in, nil
}

func readFile[T any](name string, read func(io.Reader) ([]T, error)) ([]T, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("published numbers: %w", err)
	}
	defer f.Close()
	rows, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("published numbers, %s: %w", name, err)
	}
	return rows, nil
}

// ReadCells reads printed cells. An error names the row and column.
func ReadCells(in io.Reader) ([]reproduce.Cell, error) {
	var cells []reproduce.Cell
	seen := map[reproduce.Key]bool{}
	err := eachRow(in, [][]string{cellColumns, studyColumns}, func(r row) error {
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
		if half := r.half(); half != nil && c.Number != nil {
			c.Number.Half = *half
		}
		cells = append(cells, c)
		return r.failed()
	})
	return cells, err
}

// ReadSlips reads where a study contradicts itself.
func ReadSlips(in io.Reader) ([]reproduce.Slip, error) {
	var slips []reproduce.Slip
	err := eachRow(in, [][]string{slipColumns}, func(r row) error {
		s := reproduce.Slip{Paper: r.text("paper"), Key: r.key(), Why: r.text("why")}
		if !slices.Contains(reproduce.Papers, s.Paper) {
			return r.wrong("paper", "is not one of "+strings.Join(reproduce.Papers, ", "))
		}
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

// eachRow checks that the header is one of the layouts and passes every row
// after it to use.
func eachRow(in io.Reader, layouts [][]string, use func(row) error) error {
	reader := csv.NewReader(in)
	var columns []string
	for n := 1; ; n++ {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF) && n > 1:
			return nil
		case err != nil:
			return fmt.Errorf("row %d: %w", n, err)
		case n == 1:
			i := slices.IndexFunc(layouts, func(layout []string) bool { return slices.Equal(record, layout) })
			if i < 0 {
				return fmt.Errorf("row 1 must be the header %s", strings.Join(layouts[0], ","))
			}
			columns = layouts[i]
		default:
			if err := use(row{line: n, columns: columns, cells: record, err: new(error)}); err != nil {
				return err
			}
		}
	}
}

// row reads typed values and keeps the first error.
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

// half is how far the true value may be from the printed one, if its digits do
// not show that.
func (r row) half() *float64 {
	text := r.text("rounding")
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || v > 1e9 {
		r.keep(r.wrong("rounding", fmt.Sprintf("%s is not a number of at least 0", plaintext.Quote(text))))
	}
	return &v
}

func (r row) key() reproduce.Key {
	k := reproduce.Key{
		Table: r.text("table"), Application: r.text("application"), Variant: r.text("variant"),
		Validation: r.text("validation"),
		VM:         r.text("instance_type"), Column: r.text("column"),
	}
	if k.Table == "" {
		r.keep(r.wrong("table", "is empty"))
	}
	if v := k.Validation; v != "" && v != "yes" && v != "no" {
		r.keep(r.wrong("validation", fmt.Sprintf("%s is not yes or no", plaintext.Quote(v))))
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
		r.keep(r.wrong(column, fmt.Sprintf("%s is not a count", plaintext.Quote(text))))
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

// ReadCurves reads how accuracy falls as layers are pruned.
func ReadCurves(in io.Reader) ([]reproduce.Curve, error) {
	var curves []reproduce.Curve
	seen := map[string]bool{}
	err := eachRow(in, [][]string{curveColumns}, func(r row) error {
		c := reproduce.Curve{
			Network: r.text("network"), Dataset: r.text("dataset"), Layer: r.text("layer"),
			Removed: r.text("removed"), Metric: r.text("metric"), Source: r.text("source"),
		}
		for _, column := range curveColumns {
			if r.text(column) == "" {
				return r.wrong(column, "is empty")
			}
		}
		name := c.Network + "/" + c.Dataset + "/" + c.Layer
		if seen[name] {
			return r.wrong("layer", "repeats that of "+name)
		}
		seen[name] = true
		c.StepPercent = r.percent("step_percent", r.text("step_percent"))
		for _, text := range strings.Fields(r.text("percent")) {
			c.Percent = append(c.Percent, r.percent("percent", text))
		}
		if most := c.StepPercent * float64(len(c.Percent)-1); !(most > 0 && most <= 100) {
			r.keep(r.wrong("percent", fmt.Sprintf("%d accuracies in steps of %g %% don't lie between 0 and 100 %%",
				len(c.Percent), c.StepPercent)))
		}
		curves = append(curves, c)
		return r.failed()
	})
	return curves, err
}

// percent reads a number between 0 and 100.
func (r row) percent(column, text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 100) {
		r.keep(r.wrong(column, fmt.Sprintf("%s is not a number of percent", plaintext.Quote(text))))
	}
	return v
}
