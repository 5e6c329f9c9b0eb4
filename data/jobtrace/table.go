package jobtrace

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// readTable reads both CSV formats.
func readTable(text io.Reader, most int) (*Trace, error) {
	rows := textfile.NewRows(text)
	header, err := rows.Next()
	if errors.Is(err, io.EOF) {
		return nil, textfile.Wrong(1, "the file is empty; a job trace starts with a row of column names")
	}
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(header)
	if err != nil {
		return nil, err
	}

	trace := collector{models: map[string]string{}}
	for {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return trace.finish(columns.format(), &textfile.Error{Row: rows.Number() - 1})
		}
		if err != nil {
			return nil, err
		}
		if rows.Number() > most+1 {
			return nil, &textfile.Error{Row: rows.Number(), What: tooMany(most)}
		}
		r := row{number: rows.Number(), columns: &columns, cells: cells}
		job := r.job(&trace)
		if r.err != nil {
			return nil, r.err
		}
		trace.add(job)
	}
}

func tooMany(most int) string {
	return fmt.Sprintf("more than %s; keep a part of it", quantity.Several(most, "job"))
}

// Columns and their names: ours, then Philly's.
const (
	submit = iota
	runtime
	gpus
	deadline
	model
	known
)

var spellings = [known][]string{
	submit: {"submit_s"}, runtime: {"runtime_s", "duration_s"}, gpus: {"gpus", "num_gpus"}, deadline: {"deadline_s"},
	model: {"model"},
}

// columns holds the position and the name of each column in a file; "" if absent.
type columns [known]struct {
	at   int
	name string
}

func columnsOf(header []string) (columns, error) {
	var found columns
	for i, cell := range header {
		c, name := columnOf(cell)
		if c == known {
			continue
		}
		switch found[c].name {
		case "":
			found[c].at, found[c].name = i, name
		case name:
			return found, textfile.Wrong(1, "the column %s is duplicated; remove one", name)
		default:
			return found, textfile.Wrong(1, "the columns %s and %s mean the same; remove one", found[c].name, name)
		}
	}
	for _, c := range []int{submit, runtime} {
		if found[c].name == "" {
			return found, textfile.Wrong(1, "the column %s is missing among %s; a job trace has submit_s and runtime_s, "+
				"separated by commas", strings.Join(spellings[c], " or "), quoted(header))
		}
	}
	return found, nil
}

// columnOf normalises what spreadsheets do to a header.
func columnOf(cell string) (column int, name string) {
	cell = strings.ToLower(strings.TrimSpace(cell))
	for c, names := range spellings {
		for _, name := range names {
			if cell == name {
				return c, name
			}
		}
	}
	return known, ""
}

func quoted(header []string) string {
	names := make([]string, len(header))
	for i, cell := range header {
		names[i] = plaintext.Quote(strings.TrimSpace(cell))
	}
	return plaintext.Cut(strings.Join(names, ", "), 200)
}

func (c *columns) format() string {
	for i, column := range c {
		if column.name != "" && column.name != spellings[i][0] {
			return phillyCSV
		}
	}
	return plainCSV
}

// row reads the cells of one row and keeps the first error.
type row struct {
	number  int
	columns *columns
	cells   []string
	err     error
}

func (r *row) fail(column int, format string, args ...any) {
	if r.err == nil {
		r.err = textfile.Wrong(r.number, "%s "+format, append([]any{r.columns[column].name}, args...)...)
	}
}

func (r *row) job(trace *collector) fleet.Job {
	job := fleet.Job{
		SubmitS: r.seconds(submit), RuntimeS: r.seconds(runtime), DeadlineS: r.seconds(deadline),
		GPUs: r.gpus(), Model: trace.model(r.cell(model)),
	}
	switch {
	case math.IsNaN(job.SubmitS):
		r.fail(submit, "is empty; give the submission time of the job")
	case job.DeadlineS < job.SubmitS:
		r.fail(deadline, "is %s, before the submission at %s; it must be on the clock of submit_s, not relative to it",
			plaintext.Quote(r.cell(deadline)), plaintext.Quote(r.cell(submit)))
	}
	return job
}

func (r *row) cell(column int) string {
	c := r.columns[column]
	if c.name == "" {
		return ""
	}
	return strings.TrimSpace(r.cells[c.at])
}

// seconds returns a time of at least 0, or NaN for an empty cell.
func (r *row) seconds(column int) float64 {
	cell := r.cell(column)
	if cell == "" {
		return math.NaN()
	}
	v, ok := textfile.Decimal(cell)
	switch {
	case !ok:
		r.fail(column, "is %s, not a finite decimal number; give seconds", plaintext.Quote(cell))
	case v < 0:
		r.fail(column, "is %s, which is negative; a trace counts seconds from 0", plaintext.Quote(cell))
	case v > maxSeconds:
		r.fail(column, "is %s, above %g seconds; are these milliseconds?", plaintext.Quote(cell), float64(maxSeconds))
	}
	return v
}

// gpus returns a number of GPUs, or unstated for an empty cell.
func (r *row) gpus() int {
	cell := r.cell(gpus)
	if cell == "" {
		return unstated
	}
	v, ok := textfile.Decimal(cell)
	if !ok || v != math.Trunc(v) || v < 0 || v > maxGPUs {
		r.fail(gpus, "is %s, not a whole number up to %s; leave the cell empty for 1", plaintext.Quote(cell),
			quantity.Count(maxGPUs))
		return unstated
	}
	return int(v)
}
