// Package published holds the numbers that the studies print, cell by cell, and
// the errors found in them, for comparison with our own results. README.md
// describes the files.
package published

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"sweetspot/data/textfile"
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
	if in.Cells, err = readFile(paper+".csv", readCells); err != nil {
		return in, err
	}
	if in.Slips, err = readFile("slips.csv", readSlips); err != nil {
		return in, err
	}
	switch paper {
	case reproduce.TARCAR:
		in.Curves, err = readFile("pruning.csv", readCurves)
		return in, err
	case reproduce.Paragon:
		models, err := readFile("models.csv", readCells)
		in.Cells = append(in.Cells, models...)
		return in, err
	case reproduce.Malta2019:
	default:
		return in, nil
	}
	thesis, err := readFile(reproduce.Malta+".csv", readCells)
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

// readCells reads printed cells. An error names the row and column.
func readCells(in io.Reader) ([]reproduce.Cell, error) {
	var cells []reproduce.Cell
	seen := map[reproduce.Key]bool{}
	err := eachRow(in, [][]string{cellColumns, studyColumns}, func(r row) error {
		c := reproduce.Cell{Key: r.key()}
		r.need("column", "source")
		if seen[c.Key] {
			return r.Fail("column", "repeats the cell %s", c.Key)
		}
		seen[c.Key] = true
		c.Number = r.number("printed")
		// How far the true value may be from the printed one, if its digits do not show that.
		if half := r.NotNegative("rounding"); half != nil && c.Number != nil {
			c.Number.Half = *half
		}
		cells = append(cells, c)
		return nil
	})
	return cells, err
}

// readSlips reads where a study contradicts itself.
func readSlips(in io.Reader) ([]reproduce.Slip, error) {
	var slips []reproduce.Slip
	err := eachRow(in, [][]string{slipColumns}, func(r row) error {
		s := reproduce.Slip{Paper: r.Cell("paper"), Key: r.key(), Why: r.Cell("why")}
		if !slices.Contains(reproduce.Papers, s.Paper) {
			return r.Fail("paper", "is not one of %s", strings.Join(reproduce.Papers, ", "))
		}
		r.need("why")
		if n := r.number("should_be"); n != nil {
			s.ShouldBe = &n.Value
		}
		slips = append(slips, s)
		return nil
	})
	return slips, err
}

// eachRow checks that the header is one of the layouts and passes every row
// after it to use.
func eachRow(in io.Reader, layouts [][]string, use func(row) error) error {
	t := textfile.NewTable(in)
	if err := t.Header("a file of published numbers", ""); err != nil {
		return err
	}
	if !slices.ContainsFunc(layouts, func(layout []string) bool { return slices.Equal(t.Columns(), layout) }) {
		return t.Wrong("the header must be %s", strings.Join(layouts[0], ","))
	}
	return t.Each(func() error { return use(row{t}) })
}

// row reads typed values.
type row struct{ *textfile.Table }

// need refuses a row with an empty cell.
func (r row) need(columns ...string) {
	for _, c := range columns {
		if r.Cell(c) == "" {
			_ = r.Fail(c, "is empty")
		}
	}
}

func (r row) number(column string) *reproduce.Number {
	text := r.Raw(column)
	if text == "" {
		return nil
	}
	n, err := reproduce.ParseNumber(text)
	if err != nil {
		_ = r.Fail(column, "%s", err.Error())
	}
	return &n
}

func (r row) key() reproduce.Key {
	k := reproduce.Key{
		Table: r.Cell("table"), Application: r.Cell("application"), Variant: r.Cell("variant"),
		Validation: r.Cell("validation"), VM: r.Cell("instance_type"), Column: r.Cell("column"),
		Batch: r.Count("batch_size"), Epochs: float64(r.Count("epochs")),
	}
	r.need("table")
	if v := k.Validation; v != "" && v != "yes" && v != "no" {
		_ = r.Fail("validation", "%s is not yes or no", plaintext.Quote(v))
	}
	return k
}

// readCurves reads how accuracy falls as layers are pruned.
func readCurves(in io.Reader) ([]reproduce.Curve, error) {
	var curves []reproduce.Curve
	seen := map[string]bool{}
	err := eachRow(in, [][]string{curveColumns}, func(r row) error {
		c := reproduce.Curve{
			Network: r.Cell("network"), Dataset: r.Cell("dataset"), Layer: r.Cell("layer"),
			Removed: r.Cell("removed"), Metric: r.Cell("metric"), Source: r.Cell("source"),
		}
		r.need(curveColumns...)
		name := c.Network + "/" + c.Dataset + "/" + c.Layer
		if seen[name] {
			return r.Fail("layer", "repeats that of %s", name)
		}
		seen[name] = true
		c.StepPercent = r.percent("step_percent", r.Cell("step_percent"))
		for _, text := range strings.Fields(r.Cell("percent")) {
			c.Percent = append(c.Percent, r.percent("percent", text))
		}
		if most := c.StepPercent * float64(len(c.Percent)-1); !(most > 0 && most <= 100) {
			return r.Fail("percent", "%d accuracies in steps of %g %% don't lie between 0 and 100 %%", len(c.Percent),
				c.StepPercent)
		}
		curves = append(curves, c)
		return nil
	})
	return curves, err
}

// percent reads a number between 0 and 100.
func (r row) percent(column, text string) float64 {
	v, ok := textfile.Decimal(text)
	if !ok || !(v >= 0 && v <= 100) {
		_ = r.Fail(column, "%s is not a number of percent", plaintext.Quote(text))
	}
	return v
}
