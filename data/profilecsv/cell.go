package profilecsv

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// reader reads the cells of one row by column name and keeps the first error.
type reader struct {
	row     int
	cells   []string
	columns map[string]int
	err     error
}

func (r *reader) fail(column, format string, args ...any) {
	if r.err == nil {
		r.err = &textfile.Error{Row: r.row, Column: column, What: fmt.Sprintf(format, args...)}
	}
}

// text returns the cell without control characters and surrounding white space.
func (r *reader) text(column string) string {
	i, ok := r.columns[column]
	if !ok {
		return ""
	}
	return strings.Clone(strings.TrimSpace(plaintext.Clean(r.cells[i])))
}

// largest is above any number of seconds, dollars, bytes or FLOPs, and far
// enough from overflow for everything computed from it.
const largest = 1e24

// number returns a finite number of at least 0, or nil for an empty cell.
func (r *reader) number(column string) *float64 {
	v := r.signed(column)
	if v != nil && *v < 0 {
		r.fail(column, "%g is negative", *v)
		return nil
	}
	return v
}

// signed returns a finite number, or nil for an empty cell.
func (r *reader) signed(column string) *float64 {
	cell := r.text(column)
	if cell == "" {
		return nil
	}
	v, ok := textfile.Decimal(cell)
	if !ok {
		r.fail(column, "%s is not a finite decimal number; leave the cell empty if it is unknown", plaintext.Quote(cell))
		return nil
	}
	if math.Abs(v) > largest {
		r.fail(column, "%s is too large", plaintext.Quote(cell))
		return nil
	}
	return &v
}

// fraction returns a number in [0,1], or nil for an empty cell.
func (r *reader) fraction(column string) *float64 {
	v := r.number(column)
	if v != nil && *v > 1 {
		r.fail(column, "%g is above 1; write a fraction, %g for %g %%", *v, *v/100, *v)
	}
	return v
}

// count returns a whole number, or empty for an empty cell.
func (r *reader) count(column string, empty int) int {
	v := r.number(column)
	if v == nil {
		return empty
	}
	if *v != math.Trunc(*v) || *v > math.MaxInt32 {
		r.fail(column, "%g is not a whole number up to %d", *v, math.MaxInt32)
		return empty
	}
	return int(*v)
}

// boolean returns nil for an empty cell.
func (r *reader) boolean(column string) *bool {
	switch cell := strings.ToLower(r.text(column)); cell {
	case "":
		return nil
	case "true", "1", "yes":
		return new(true)
	case "false", "0", "no":
		return new(false)
	default:
		r.fail(column, "%s is neither true nor false", plaintext.Quote(cell))
		return nil
	}
}

// date returns a year, a month or a day, whichever the source gives.
func (r *reader) date(column string) string {
	cell := r.text(column)
	if cell == "" || catalog.IsDate(cell) {
		return cell
	}
	r.fail(column, "%s is not a date; write 2021-02-28, 2021-02 or 2021", plaintext.Quote(cell))
	return ""
}

// layers reads "conv1=0.3;conv2=0.5".
func (r *reader) layers(column string) map[string]float64 {
	cell := r.text(column)
	if cell == "" {
		return nil
	}
	layers := map[string]float64{}
	for part := range strings.SplitSeq(cell, ";") {
		name, ratio, ok := strings.Cut(part, "=")
		name, ratio = strings.TrimSpace(name), strings.TrimSpace(ratio)
		v, sound := textfile.Decimal(ratio)
		if !ok || name == "" || !sound || v < 0 || v > 1 {
			r.fail(column, "%s is not layer=fraction; write conv1=0.3;conv2=0.5", plaintext.Quote(part))
			return nil
		}
		layers[name] = v
	}
	return layers
}
